/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which perf events. See attr.h. */
#include "lib/copied/attr.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "core/port.h"
#include "lib/arch/perf_regs.h"
#include "lib/copied/ring.h"
#include "lib/error.h"

static uint64_t register_mask(void)
{
	uint64_t mask = 0;

	for (int i = 0; i < COPIED_REGS; i++)
		mask |= 1ULL << perf_regs[i];
	return mask;
}

/* What all events have in common. */
static struct perf_event_attr common(const struct attr_choice *c)
{
	return (struct perf_event_attr){
		.size = sizeof(struct perf_event_attr),
		.type = PERF_TYPE_SOFTWARE,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED,
		.disabled = 1,
		.inherit = !c->machine,
		.inherit_thread = !c->machine && c->o.no_children,
		.enable_on_exec = c->o.from_exec,
		.exclude_kernel = !c->kernel,
		.exclude_hv = 1,
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};
}

uint32_t attr_stack_bytes(const struct attr_choice *c, enum source_ring ring)
{
	uint64_t bytes = c->o.hz ? c->ring_bytes * 4 / c->o.hz : COPIED_STACK_BYTES;

	if (c->o.stack_bytes)
		return c->o.stack_bytes;
	if (ring != SOURCE_SAMPLES || bytes < COPIED_STACK_BYTES)
		return COPIED_STACK_BYTES;
	return bytes < COPIED_STACK_BYTES_ROOM ? bytes & -1024U : COPIED_STACK_BYTES_ROOM;
}

/* The walk reads whole pages; the last one that is copied is usually not whole. */
static uint32_t bytes_to_copy(const struct attr_choice *c, enum source_ring ring)
{
	uint32_t bytes = attr_stack_bytes(c, ring) + PAGE_BYTES - 8;

	return (bytes > COPIED_STACK_BYTES_MAX ? COPIED_STACK_BYTES_MAX : bytes) & ~7U;
}

static struct perf_event_attr sample_attr(const struct attr_choice *c)
{
	struct perf_event_attr a = common(c);

	if (c->cycles)
		a.type = PERF_TYPE_HARDWARE;
	a.config = c->cycles ? (uint64_t)PERF_COUNT_HW_CPU_CYCLES : (uint64_t)PERF_COUNT_SW_CPU_CLOCK;
	a.freq = 1;
	a.sample_freq = c->o.hz;
	a.exclude_idle = !c->cycles; /* the counter stands still there, and arm64 refuses to leave it out */
	a.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_REGS_USER |
			PERF_SAMPLE_STACK_USER | (c->kernel ? PERF_SAMPLE_CALLCHAIN : 0);
	a.exclude_callchain_user = c->kernel;
	a.sample_regs_user = register_mask();
	a.sample_stack_user = bytes_to_copy(c, SOURCE_SAMPLES);
	return a;
}

/* Switches of the CPU to and from a thread; they need no privilege. */
static struct perf_event_attr switch_attr(const struct attr_choice *c)
{
	struct perf_event_attr a = common(c);

	a.config = PERF_COUNT_SW_DUMMY;
	a.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;
	a.context_switch = 1;
	return a;
}

/*
 * A sample at each switch from a thread to another one, in the context of the first. It occurs in the kernel, so there
 * is none if only user mode may be seen.
 */
static struct perf_event_attr stack_attr(const struct attr_choice *c)
{
	struct perf_event_attr a = sample_attr(c);

	a.type = PERF_TYPE_SOFTWARE;
	a.config = PERF_COUNT_SW_CONTEXT_SWITCHES;
	a.freq = 0;
	a.sample_period = 1;
	a.sample_stack_user = bytes_to_copy(c, SOURCE_STACKS);
	return a;
}

static struct perf_event_attr process_attr(const struct attr_choice *c)
{
	struct perf_event_attr a = common(c);

	a.config = PERF_COUNT_SW_DUMMY;
	a.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	a.mmap = a.mmap2 = a.mmap_data = a.comm = a.comm_exec = a.task = 1;
	a.build_id = !c->no_build_ids;
	return a;
}

bool attr_is_used(const struct attr_choice *c, enum source_ring ring)
{
	switch (ring) {
	case SOURCE_SAMPLES: return c->o.cpu;
	case SOURCE_PROCESSES: return true;
	case SOURCE_SWITCHES: return c->o.switches;
	case SOURCE_STACKS: return c->o.switches && c->kernel;
	case NR_SOURCE_RINGS: break;
	}
	return false;
}

struct perf_event_attr attr_of(const struct attr_choice *c, enum source_ring ring)
{
	switch (ring) {
	case SOURCE_SAMPLES: return sample_attr(c);
	case SOURCE_SWITCHES: return switch_attr(c);
	case SOURCE_STACKS: return stack_attr(c);
	default: return process_attr(c);
	}
}

bool attr_is_confined(enum source_ring ring)
{
	return ring == SOURCE_SAMPLES || ring == SOURCE_STACKS;
}

int attr_open(struct perf_event_attr *a, pid_t tid, int cpu, unsigned long flags)
{
	int fd = syscall(SYS_perf_event_open, a, tid, cpu, -1, PERF_FLAG_FD_CLOEXEC | flags);

	return fd < 0 ? -errno : fd;
}

static long setting(const char *name)
{
	_cleanup_(fclosep) FILE *f = NULL;
	char path[80];
	long value = -2;

	snprintf(path, sizeof(path), "/proc/sys/kernel/%s", name);
	f = fopen(path, "re");
	return f && fscanf(f, "%ld", &value) == 1 ? value : -2;
}

static int refuse_user(const struct attr_choice *c, pid_t tid, int ret, struct dusk_error *err)
{
	long paranoid = setting("perf_event_paranoid");

	if (c->machine)
		return error_set(err, -EPERM,
				 "cannot sample the whole machine: that needs root, cap_perfmon, or "
				 "kernel.perf_event_paranoid=0, and it is %ld; processes of your own need 2",
				 paranoid);
	if (paranoid > 2)
		return error_set(err, -EPERM,
				 "cannot sample process or thread %d: kernel.perf_event_paranoid is %ld, and without "
				 "privilege at most 2 allows it: sudo sysctl kernel.perf_event_paranoid=2",
				 tid, paranoid);
	return error_set(err, -EPERM,
			 "cannot sample process or thread %d: %s; it must be your own, and a container's seccomp "
			 "filter must allow perf_event_open()",
			 tid, strerror(-ret));
}

/* How many are there for each thread and CPU? */
static int nr_events(const struct attr_choice *c)
{
	int nr = 0;

	for (int ring = 0; ring < NR_SOURCE_RINGS; ring++)
		nr += attr_is_used(c, ring);
	return nr;
}

int attr_refuse(const struct attr_choice *c, pid_t tid, int cpu, int ret, struct dusk_error *err)
{
	long rate = setting("perf_event_max_sample_rate");

	if (ret == -EACCES || ret == -EPERM)
		return refuse_user(c, tid, ret, err);
	if (ret == -EINVAL && rate > 0 && c->o.hz > (unsigned long)rate)
		return error_set(err, ret,
				 "cannot sample at %u Hz: this machine allows %ld; lower -F, or: sysctl "
				 "kernel.perf_event_max_sample_rate=%u",
				 c->o.hz, rate, c->o.hz);
	if (ret == -ENODEV || (ret == -EINVAL && c->o.nr_cpus))
		return error_set(err, -EINVAL, "cannot sample CPU %d: there is no such CPU, or it is offline", cpu);
	if (ret == -EMFILE)
		return error_set(err, ret,
				 "cannot sample so many threads: each takes %d open files on each CPU; raise ulimit -n",
				 nr_events(c));
	if (ret == -EINVAL || ret == -EOPNOTSUPP || ret == -ENOENT || ret == -ENOSYS)
		return error_set(err, -EOPNOTSUPP,
				 "cannot sample: this kernel has no perf events with registers and stacks (%s)",
				 strerror(-ret));
	return error_set(err, ret, "cannot open a perf event for thread %d on CPU %d: %s", tid, cpu, strerror(-ret));
}

/*
 * linux 6.18 kernel/events/core.c, perf_cgroup_connect(). And kernel/cgroup/cgroup.c: the controller perf_event needs not be enabled,
 * but is not there until any is (cgroup_propagate_control() of the topmost cgroup).
 */
int attr_refuse_cgroup(const char *path, int ret, struct dusk_error *err)
{
	if (ret == -EBADF)
		return error_set(err, -EINVAL,
				 "cannot record cgroup %s: it is not a folder of cgroup2 "
				 "(mount -t cgroup2 none /sys/fs/cgroup)",
				 path);
	if (ret == -ENOENT)
		return error_set(
			err, -EINVAL,
			"cannot record cgroup %s: it has no controller perf_event: either that is mounted "
			"elsewhere, as a cgroup of version 1: umount it; or no controller is enabled yet: echo +pids "
			">/sys/fs/cgroup/cgroup.subtree_control",
			path);
	return error_set(err, ret, "cannot record cgroup %s: perf_event_open(): %s", path, strerror(-ret));
}

int attr_choose(struct attr_choice *c, pid_t tid, int cpu)
{
	int fd = -1;

	c->kernel = c->cycles = true;
	for (int i = 0; i < 3; i++) {
		struct perf_event_attr a = sample_attr(c);

		fd = attr_open(&a, tid, cpu, 0);
		if ((fd == -EACCES || fd == -EPERM) && c->kernel)
			c->kernel = false;
		else if ((fd == -ENOENT || fd == -EOPNOTSUPP || fd == -ENODEV) && c->cycles)
			c->cycles = false;
		else
			break;
	}
	if (fd < 0)
		return fd;
	close(fd);
	for (int i = 0; i < 2; i++) {
		struct perf_event_attr a = process_attr(c);

		fd = attr_open(&a, tid, cpu, 0);
		if (fd != -EINVAL)
			break;
		c->no_build_ids = true; /* linux 5.12 and newer have them */
	}
	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

bool source_registers(const struct perfdata_record *r, uint64_t ret[COPIED_REGS], uint32_t *missing)
{
	uint64_t mask = r->event->regs_user;
	uint32_t lacking = 0;

	if (r->regs_abi == PERF_SAMPLE_REGS_ABI_NONE || !r->regs)
		return false;
	for (int i = 0; i < COPIED_REGS; i++) {
		bool is_there = mask >> perf_regs[i] & 1;

		ret[i] = is_there ? r->regs[__builtin_popcountll(mask & ((1ULL << perf_regs[i]) - 1))] : 0;
		lacking |= is_there ? 0 : 1u << i;
	}
	*missing = perf_regs_from_abi(ret, lacking, r->regs_abi);
	if (*missing && r->regs_abi != PERF_SAMPLE_REGS_ABI_64) /* which changes places: regs_settle() */
		return false;
	return !(*missing & (1u << REG_PC | 1u << REG_SP));
}
