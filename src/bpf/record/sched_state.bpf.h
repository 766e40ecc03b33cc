/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The state of a recording's threads: on or off CPU, since when, and their thread times. */
#pragma once
#include "bpf/common/maps.h"
#include "abi/offcpu.h"

/* Task states (linux 6.18 include/linux/sched.h). */
#define TASK_INTERRUPTIBLE 0x01
#define TASK_UNINTERRUPTIBLE 0x02
#define TASK_STOPPED_OR_TRACED 0x0c
#define TASK_PARKED 0x40
#define TASK_DEAD 0x80
#define TASK_NOLOAD 0x400
#define TASK_FROZEN 0x8000

/* Of one thread. Written at its sched-out and sched-in; @waker in between, in the context of its waker. */
struct task_sched_state {
	u64 since_ns;
	u64 run_delay;	    /* at sched-out: the time that it had waited for a CPU, as the kernel accounts for it */
	u64 switches;	    /* at sched-out: as long as the number is the same, it has not been on a CPU since */
	u32 off_cpu, state; /* whether it is off CPU, and why */
	u32 tid;	    /* of these thread times: execve() may have changed the task's tid before its tracepoint */
	u32 reported;	    /* the iterator has reported it: nothing more is reported */
	u64 start_ns, on_cpu_ns, runnable_ns, blocked_ns, intervals; /* its thread times */
	struct event_waker waker;
};

struct task_sched_state_map {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct task_sched_state);
};
extern struct task_sched_state_map task_sched_state SEC(".maps");

extern struct recording_times times;

static INLINE bool is_recording(u64 now_ns)
{
	u64 start_ns = load_relaxed(&times.start_ns), stop_ns = load_relaxed(&times.stop_ns);

	return start_ns && now_ns >= start_ns && (!stop_ns || now_ns < stop_ns);
}

static INLINE u64 task_switches(struct task_struct *t)
{
	return t->nvcsw + t->nivcsw;
}

/*
 * Has the cgroup of @t used up its quota? Since linux 6.18 a task is taken off its CPU for that, with a mark, on its way to user
 * mode; before, the cgroup's whole run queue was.
 */
static INLINE bool is_throttled(const struct task_struct *t)
{
	return bpf_core_field_exists(t->throttled) && t->throttled;
}

/* Why did @t leave its CPU with state @state? */
static INLINE u32 offcpu_reason(const struct task_struct *t, bool preempted, u32 state)
{
	if (preempted || !state)
		return is_throttled(t) ? OFFCPU_THROTTLED : OFFCPU_PREEMPTED;
	if (state & TASK_DEAD)
		return OFFCPU_ENDED;
	if (state & TASK_STOPPED_OR_TRACED)
		return OFFCPU_STOPPED;
	if (state & TASK_INTERRUPTIBLE)
		return OFFCPU_SLEEPING;
	if (state & (TASK_PARKED | TASK_NOLOAD | TASK_FROZEN))
		return OFFCPU_IDLE;
	return OFFCPU_UNINTERRUPTIBLE;
}

/* How much of @off_ns was @t runnable? */
static INLINE u64 task_runnable_ns(struct task_struct *t, const struct task_sched_state *w, u64 off_ns)
{
	u64 waited_ns;

	if (w->state == OFFCPU_PREEMPTED || w->state == OFFCPU_BORN)
		return off_ns;
	if (w->state == OFFCPU_THROTTLED) /* for the kernel, it has waited for a CPU all the time */
		return 0;
	waited_ns = t->sched_info.run_delay - w->run_delay;
	return waited_ns < off_ns ? waited_ns : off_ns;
}
