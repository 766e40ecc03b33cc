/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Why a task was not on a CPU: code, name, sentence. Numbers are kept in profiles: new ones go to the end.
 *
 * In all but those that are a wait for a turn a task may also wait for its turn, once it could run again: that is its
 * runnable time.
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
	X(NOT_REPORTED, "not-reported", "another profiler recorded it, which does not say why")

enum offcpu_reason {
#define X(code, ...) OFFCPU_##code,
	OFFCPU_REASONS(X)
#undef X
		NR_OFFCPU_REASONS
};

/*
 * Who ended an off-CPU interval: a task, or an interrupt, whatever task it came upon; the idle task only runs the
 * latter. A softirq that a task runs when it lets them run again, as on its way out of sending a packet to this
 * machine, is the task's own work. Numbers are kept in profiles.
 */
enum waker_kind { WAKER_NONE, WAKER_TASK, WAKER_INTERRUPT, NR_WAKER_KINDS };

/*
 * Of what are off-CPU intervals summed up? The row of a charge: kernel stack's id 32 bits, tid 22 (PID_MAX_LIMIT),
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

/* What the recorder tells its programs meanwhile. */
struct recording_times {
	u64 start_ns, stop_ns; /* from when to when, CLOCK_MONOTONIC; 0: not yet */
	u64 certain_ns;	       /* off-CPU intervals of so long are all recorded, shorter ones sampled; under 2^32 */
};
