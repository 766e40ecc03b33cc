#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# In a guest of another architecture: a test of the suite live. usage: live.sh PROGRAM [ARGUMENT]...
set -eu
# With as many samples as the kernel allows at first, an emulated CPU would do nothing else. It can have as many as any test asks for.
echo 20000 >/proc/sys/kernel/perf_event_max_sample_rate
# The kernel would take what an emulated CPU needs for a sample as a reason to allow fewer of them.
echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent
# Debian does not let ordinary users sample by default.
echo 2 >/proc/sys/kernel/perf_event_paranoid
# In so little memory the kernel would allow fewer threads and processes than some programs under test make.
echo 40000 >/proc/sys/kernel/threads-max
# As systemd does. Until a controller is enabled here, cgroups have none, and so none whose events perf could count.
echo +pids >/sys/fs/cgroup/cgroup.subtree_control
# While a thread changes the mappings of its process, no stack of the others is walked; on an emulated CPU that takes ten times as long.
export MAPPINGS_BUSY=15
# Programs under test that burn time leave the CPU to what loads.
export VICTIM_NICE=19
exec "$@"
