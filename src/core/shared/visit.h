/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Whether the task is still in the visit to the kernel in which its stack was walked.
 *
 * A request after the walk, on the way back to user mode, gets the stack just walked. Another walk would need task work
 * again, after which the same program would ask again: the task would never reach user mode.
 *
 * The sign of a visit is a number that the kernel changes whenever the task goes to user mode (bpf/common/visit.bpf.h).
 * Without it, there is only evidence that the task has been in user mode: the registers that it would return to are
 * other ones, which the kernel changes only for the result of a system call or its restart, or for another stack (a
 * signal, execve(), a debugger), none of which goes on for ever; the kernel has accounted time in user mode to it; it
 * has slept; it has begun a system call; its CPU, which it has not left, has begun one; or much time has passed there.
 * Without such evidence two walks may be of one visit, and a third request is refused: the task will be in user mode
 * soon, and no consumer gets a stack that may be another visit's.
 *
 * Written by the task itself, and by interrupts on top of it.
 */
#pragma once
#include "core/atomic.h"

#define VISIT_NS 100000 /* from a walk to a request behind it, on a fast machine; the walk's own time is added */
#define VISIT_PREEMPTED_NS 20000000 /* the same if other tasks had the CPU in between */

/* What is known of the task at one moment. */
struct visit_now {
	u64 ns, user_ns; /* CLOCK_MONOTONIC; the time it has spent in user mode, as the kernel accounts for it */
	u64 registers;	 /* visit_mix() of those that it would return to */
	u32 sleeps, preemptions; /* how often it has left a CPU, by itself and preempted */
	u32 calls;		 /* a number that each system call on this CPU changes; or one that never changes */
	u32 sign;		 /* 0: there is none */
	u16 in_call;		 /* it is in a system call that has no result yet */
	u16 kept;		 /* it has not been in user mode since it last left a CPU */
	u32 pad;
};

struct visit {
	struct visit_now walked; /* @ns: until when it may be this visit; 0: there is no answer */
	u32 in_a_row, pad;	 /* walks that may have been of one visit, not counting the first */
};

enum visit_verdict {
	VISIT_OTHER,	/* the task has been in user mode, or there is no answer: walk */
	VISIT_POSSIBLE, /* it is not certain that it has been there: walk once more */
	VISIT_SAME,	/* it has not: the answer is valid */
	VISIT_UNKNOWN,	/* it may not have been, and was walked twice: refuse */
};

/* Mix @reg into @mix, in an order: registers that are exchanged make another number. */
static INLINE u64 visit_mix(u64 mix, u64 reg)
{
	return (mix ^ reg) * 0x9E3779B97F4A7C15ULL;
}

/* Note that the answer is about to change. */
static INLINE void visit_open(struct visit *v)
{
	store_release(&v->walked.ns, 0);
}

/* Note that the answer is that of the visit that @now is in; the walk took @walk_ns. */
static INLINE void visit_resolved(struct visit *v, const struct visit_now *now, u64 walk_ns)
{
	v->walked.user_ns = now->user_ns;
	v->walked.registers = now->registers;
	v->walked.sleeps = now->sleeps;
	v->walked.preemptions = now->preemptions;
	v->walked.calls = now->calls;
	v->walked.sign = now->sign;
	v->walked.in_call = now->in_call;
	store_release(&v->walked.ns, now->ns + VISIT_NS + walk_ns);
}

/* Without a sign: has the task been in user mode for certain, or will it return to another stack? */
static INLINE bool visit_was_in_user_mode(const struct visit_now *walked, const struct visit_now *now)
{
	return now->registers != walked->registers || now->user_ns != walked->user_ns || now->in_call > walked->in_call;
}

/* And if that is not certain: has it been there, as far as can be known? */
static INLINE bool visit_has_ended(const struct visit_now *walked, const struct visit_now *now, u64 until_ns)
{
	if (now->sleeps != walked->sleeps)
		return true;
	if (now->preemptions != walked->preemptions)
		return !now->kept || now->ns > until_ns + VISIT_PREEMPTED_NS;
	return now->calls != walked->calls || now->ns > until_ns;
}

/* Decide on a request that is made @now. Any context; constant time. */
static INLINE enum visit_verdict visit_of_request(struct visit *v, const struct visit_now *now)
{
	u64 until_ns = load_acquire(&v->walked.ns);

	if (!until_ns)
		return VISIT_OTHER;
	if (now->sign | v->walked.sign)
		return now->sign == v->walked.sign ? VISIT_SAME : VISIT_OTHER;
	if (!visit_was_in_user_mode(&v->walked, now) && !visit_has_ended(&v->walked, now, until_ns))
		return v->in_a_row++ ? VISIT_UNKNOWN : VISIT_POSSIBLE;
	v->in_a_row = 0;
	return visit_was_in_user_mode(&v->walked, now) ? VISIT_OTHER : VISIT_POSSIBLE;
}
