/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The end of a cookie: the order in which its answer is published and its deferral word is taken.
 *
 * A request in an interrupt on top of this either joins those that are being resolved, or finds the answer. So the
 * answer is complete before it can be found, and can be found before the word is taken. And a caller that takes the
 * word has entered (grace.h) before: a consumer that leaves waits until all that was taken with its bit is delivered.
 */
#pragma once
#include "core/shared/defer.h"
#include "core/shared/grace.h"
#include "core/shared/last_stack.h"
#include "core/shared/visit.h"

/* The answer to the requests of one cookie. */
struct answer {
	u64 cookie;
	u32 stack, outcome;
};

/*
 * Publish the answer in @last. From here on it answers requests for the last stack of the task, and those in the same
 * visit: that of @now, if not NULL.
 */
static INLINE void resolve_publish(struct answer *last, u64 cookie, u32 stack, u32 outcome, struct last_stack *p,
				   struct visit *v, const struct visit_now *now, u64 walk_ns)
{
	if (now)
		visit_open(v);
	last->cookie = cookie;
	last->stack = stack;
	store_release(&last->outcome, outcome);
	last_stack_found(p);
	if (now)
		visit_resolved(v, now, walk_ns);
}

/*
 * Enter, on @cpu, and take the word. Returns the consumers to deliver to, like defer_take(), and *@cookie. Call
 * grace_leave(@phase) when that is done.
 */
static INLINE u64 resolve_take(struct grace *g, u32 cpu, u32 *phase, struct defer *d, u64 *cookie)
{
	*phase = grace_enter(g, cpu);
	return defer_take(d, cookie);
}
