/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How a consumer leaves: the order in which nothing acts for it afterwards, and the next consumer in its slot is not
 * taken for it.
 *
 * Its generation goes first: requests and deliveries from here on see that it is gone, and those that may have looked
 * before are waited for (grace.h). Then no word gets its bit any more, and the words are swept. Deliveries that took a
 * word before it was swept are waited for in a second wait: until then the slot is not free.
 */
#pragma once
#include "core/shared/registry.h"

/* What leaving needs from its caller; each returns 0 or a negative errno. */
struct leaving {
	int (*wait)(struct grace *g);	   /* wait until all that had entered have left */
	int (*sweep)(void *ctx, u32 slot); /* clear the slot's bit in all words */
	void *ctx;
};

/* Stop requests for the consumer at @slot, and calls of its functions. Without the lock. */
static inline int leave_shut(struct registry *r, u32 slot, const struct leaving *l)
{
	struct consumer *c = &at(r->consumer, slot);
	u32 generation = load_relaxed(&c->generation);

	if (generation & 1)
		store_release(&c->generation, generation + 1);
	return l->wait(&r->grace);
}

/*
 * Stop deliveries as well, and free the slot. Under the lock. If a task could not be swept, the slot still belongs to
 * its tool.
 */
static inline int leave_close(struct registry *r, u32 slot, const struct leaving *l)
{
	int ret = leave_shut(r, slot, l);

	if (!ret)
		ret = l->sweep(l->ctx, slot);
	if (!ret)
		ret = l->wait(&r->grace);
	if (!ret)
		at(r->consumer, slot).tool = 0;
	return ret;
}
