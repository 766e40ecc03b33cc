/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The off-CPU reasons: why a task was not on a CPU. One row each: code, name, sentence. Profiles store the numbers:
 * append, never reorder.
 *
 * PREEMPTED and BORN are waits for a CPU from beginning to end. With the other reasons a task may have been runnable
 * before it got a CPU again: that part of the interval is its runnable time.
 */
#pragma once
#include "abi/types.h"

#define OFFCPU_REASONS(X)                                                                           \
	X(PREEMPTED, "preempted", "could run, but another task had the CPU")                        \
	X(SLEEPING, "sleeping", "waited, and a signal would have ended it")                         \
	X(UNINTERRUPTIBLE, "uninterruptible", "waited, mostly for storage or a lock of the kernel") \
	X(STOPPED, "stopped", "stopped by a signal or a debugger")                                  \
	X(ENDED, "ended", "had ended")                                                              \
	X(IDLE, "idle", "a kernel thread without work")                                             \
	X(BORN, "born", "waited for its first turn")                                                \
	X(NOT_REPORTED, "not-reported", "another profiler recorded it, which does not say why")     \
	X(BLOCKED, "blocked", "waited, for something that mode copied does not see")                \
	X(THROTTLED, "throttled", "could run, but its cgroup had used up its quota of CPU time")

enum offcpu_reason {
#define X(code, ...) OFFCPU_##code,
	OFFCPU_REASONS(X)
#undef X
		NR_OFFCPU_REASONS
};

/*
 * What ended an off-CPU interval: a task, or an interrupt, whichever task it interrupted. A waker in the idle task is
 * an interrupt. Softirqs that a task runs when it enables them again, as when it has sent a packet to this machine, are
 * the task's own work. Profiles store the numbers.
 */
enum waker_kind { WAKER_NONE, WAKER_TASK, WAKER_INTERRUPT, NR_WAKER_KINDS };

/*
 * The key of a sum of off-CPU intervals: the kernel stack's id in 32 bits, the tid in 22 (PID_MAX_LIMIT), and the
 * state.
 */
#define OFFCPU_TID_SHIFT 32
#define OFFCPU_STATE_SHIFT 54

static inline u64 offcpu_key(u32 tid, u32 kernel_stack, u32 state)
{
	return (u64)state << OFFCPU_STATE_SHIFT | (u64)tid << OFFCPU_TID_SHIFT | kernel_stack;
}

static inline u32 offcpu_tid(u64 key)
{
	return key >> OFFCPU_TID_SHIFT & ((1 << (OFFCPU_STATE_SHIFT - OFFCPU_TID_SHIFT)) - 1);
}

static inline u32 offcpu_state(u64 key)
{
	return key >> OFFCPU_STATE_SHIFT;
}

/* What the recorder changes while its programs run. */
struct recording_times {
	u64 start_ns, stop_ns; /* begin and end of the recording, CLOCK_MONOTONIC; 0: not yet */
	u64 certain_ns; /* intervals of at least this length are always recorded, shorter ones sampled; below 2^32 */
};
