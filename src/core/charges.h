/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a task has run up in this visit to the kernel, until its user stack is known.
 *
 * A consumer charges an amount (nanoseconds, bytes) to a key of its own (a kernel stack's id, say) and the user stack
 * that it asked for. A few sums wait here, each key once, in the memory of the task, under the cookie of the walk that
 * will settle them: no sum can come under another walk's stack.
 *
 * Nobody waits: who finds the list taken, full, or of another cookie is turned away, to keep the charge elsewhere under
 * its cookie. The walk learns from charges_turned_away() whom it has to tell which stack that is.
 */
#pragma once
#include "atomic.h"
#include "defer.h"

#define TASK_CHARGES 8

struct charge {
	u64 key, amount;
	u32 count, consumer;
};

struct charges {
	u64 cookie;		/* whose sums these are, if nr */
	u64 elsewhere;		/* cookie and consumers that were turned away, as in a deferral word */
	u32 busy;		/* somebody is at work */
	u32 nr;
	struct charge charge[TASK_CHARGES];
};

/* Add to the sum of @consumer and @key. False: turned away. By the task itself, any context, constant time. */
CORE bool charges_add(struct charges *c, u64 cookie, u32 consumer, u64 key, u64 amount);

/* Are there sums under @cookie? Then they are the caller's, and nobody adds, until charges_settled(). Any task. */
CORE bool charges_settle(struct charges *c, u64 cookie);

static INLINE void charges_settled(struct charges *c)
{
	c->nr = 0;
	xchg(&c->busy, 0);
}

/* The consumers that were turned away with @cookie. */
static INLINE u32 charges_turned_away(const struct charges *c, u64 cookie)
{
	u64 word = load_acquire(&c->elsewhere);

	return word >> DEFER_BITS == cookie ? word & ((1ULL << DEFER_BITS) - 1) : 0;
}
