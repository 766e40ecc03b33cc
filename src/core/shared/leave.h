/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How a consumer leaves: in what order, so that nobody acts for it afterwards, and nobody takes the next one in its
 * slot for it.
 *
 * Its generation goes first: who asks or serves from here on sees that it is gone, and who may have looked before is
 * waited for (grace.h). Then no word gets its bit any more, and the words are swept. Who took one before it was swept
 * is waited for again: until then the slot is not free.
 */
#pragma once
#include "core/shared/registry.h"

/* What it takes, of the kernel's; each 0 or a negative errno. */
struct leaving {
	int (*wait)(struct grace *g);	   /* until all have left who had entered */
	int (*sweep)(void *ctx, u32 slot); /* the slot's bit out of all words */
	void *ctx;
};

/* The consumer at @slot is not asked for any more, and its functions are not called. Without the lock. */
static inline int leave_shut(struct registry *r, u32 slot, const struct leaving *l)
{
	struct consumer *c = &at(r->consumer, slot);
	u32 generation = load_relaxed(&c->generation);

	if (generation & 1)
		store_release(&c->generation, generation + 1);
	return l->wait(&r->grace);
}

/*
 * And not served; the slot is free. Under the lock. If a task could not be swept, the slot stays the tool's that had
 * it.
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
