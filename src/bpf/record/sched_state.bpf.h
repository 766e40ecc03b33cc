/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where are a recording's threads, on CPU or off it, and since when? */
#pragma once
#include "bpf/common/maps.h"
#include "abi/offcpu.h"

/* Of one thread. It is written where the thread leaves and comes back; @waker, between the two, by who wakes it. */
struct task_sched_state {
	u64 since_ns;
	u64 run_delay;	    /* when it left: the kernel's account of its waiting for a CPU */
	u64 switches;	    /* when it left: if they are as many, it has not been back */
	u32 off_cpu, state; /* off CPU, and why */
	u32 tid;	    /* by which this life goes: execve() may have changed the task's before it says so */
	u32 reported;	    /* stock was taken of it: its life is over for us */
	u64 start_ns, on_cpu_ns, runnable_ns, blocked_ns, intervals; /* the sums of its life */
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
