#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# In a guest whose kernel has no bpf_task_work: dusk records in mode copied, and says why. What needs the full mode it
# refuses, and leaves nothing behind.
set -u

# refuses TEXT COMMAND...: exit status 3, and the text is said.
refuses() {
	text=$1
	shift
	"$@" >said 2>&1
	status=$?
	cat said
	[ $status = 3 ] && grep -qF "$text" said && return
	echo "FAILED: $*: exit status $status; expected 3 and: $text"
	exit 1
}

cd "$(mktemp -d)" || exit 1
why="cannot use kernel $(uname -r): its BTF has no bpf_task_work_schedule_resume"
refuses "$why" dusk record --mode full -o x.dusk -d 1s
refuses "$why" dusk record --wakers -o x.dusk -- touch ran
refuses "its BTF has no bpf_task_work_schedule_resume, by which walks are deferred" dusk doctor
[ "$(ls)" = said ] || exit 1

/victims/recurse_static 20 >/dev/null &
victim=$!
dusk record -F 499 -d 4s -p $victim -o x.dusk >said 2>&1
status=$?
cat said
[ $status = 0 ] && grep -q "mode copied: at most [36][0-9] KiB of each stack" said && grep -qF "$why" said || {
	echo "FAILED: dusk record: exit status $status; expected 0, and why the mode is copied"
	exit 1
}
percent=$(sed -n 's/^dusk: samples: \([0-9]*\).*/\1/p' said)
[ "${percent:-0}" -ge 99 ] || {
	echo "FAILED: $percent % of the stacks are complete"
	exit 1
}
mkdir /sys/fs/cgroup/some && echo $victim >/sys/fs/cgroup/some/cgroup.procs
dusk record -G /sys/fs/cgroup/some -d 1s -o z.dusk >said 2>&1 && exit 1
grep -qF 'no controller is enabled yet: echo +pids >/sys/fs/cgroup/cgroup.subtree_control' said || {
	cat said
	echo "FAILED: why cgroups cannot be recorded yet is not said"
	exit 1
}
echo +pids >/sys/fs/cgroup/cgroup.subtree_control
dusk record -G /sys/fs/cgroup/some -d 2s -o z.dusk >said 2>&1 && dusk report -i z.dusk >said 2>&1 && grep -q ' burn ' said || {
	cat said
	echo "FAILED: the cgroup is not recorded"
	exit 1
}
kill $victim
dusk report -i x.dusk >said 2>&1 && grep -q ' burn ' said || {
	cat said
	echo "FAILED: the function that runs is not named"
	exit 1
}
dusk record -e offcpu -o y.dusk -- sleep 1 >said 2>&1
status=$?
cat said
[ $status = 0 ] && grep -q "accounted: [19][0-9.]* %" said || {
	echo "FAILED: dusk record -e offcpu: exit status $status; expected 0, and all time accounted for"
	exit 1
}
dusk report --off-cpu -i y.dusk >said 2>&1 && grep -q 'nanosleep' said || {
	cat said
	echo "FAILED: the sleep has no stack"
	exit 1
}
