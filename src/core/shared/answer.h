/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The end of a cookie: in what order an answer is published, and the word taken of who is to be served with it.
 *
 * Who asks on top of this in an interrupt either joins those who are served, or finds the answer: so that is whole
 * before it can be found, and can be found before the word is taken. And who takes the word has entered (grace.h): a
 * consumer that leaves waits until all are served whose word was taken with its bit.
 */
#pragma once
#include "core/shared/defer.h"
#include "core/shared/grace.h"
#include "core/shared/last_stack.h"
#include "core/shared/visit.h"

/* How the requests of one cookie ended. */
struct answer {
	u64 cookie;
	u32 stack, outcome;
};

/*
 * @last is what is told from here on, to who asks of a task that parts, or in the same visit: that of @now, if not
 * NULL.
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
 * Enter, on @cpu, and take the word: the consumers to serve, as defer_take() has it, and *@cookie. Then
 * grace_leave(@phase).
 */
static INLINE u64 resolve_take(struct grace *g, u32 cpu, u32 *phase, struct defer *d, u64 *cookie)
{
	*phase = grace_enter(g, cpu);
	return defer_take(d, cookie);
}
