/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The state of a recording's threads: on or off CPU, since when, and their thread times. */
#pragma once
#include "bpf/common/maps.h"
#include "abi/offcpu.h"

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
