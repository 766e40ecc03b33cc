/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How does a fresh stack table take the place of a full one, while everybody goes on?
 *
 * Tables have numbers, epochs, and the one of epoch e lies at e % EPOCH_TABLES. Who puts a stack enters (grace.h),
 * looks which epoch is now, puts it there, and leaves. Who rolls (one at a time) lays a fresh table into a free place,
 * says that it is the one from now on, waits until all have left who may have seen the old one, and says that what lies
 * before is settled: nothing is added to it any more. Each tool then takes what it wants from settled tables, and says
 * so; a table from which all tools have taken is given back. If a tool does not get to it there is no free place, no
 * roll, and the table fills up: then stacks travel whole.
 *
 * So an id leads to its stack for as long as its reader wants, and nobody waits but who rolls.
 */
#pragma once
#include "core/shared/grace.h"

#define EPOCH_TABLES 4 /* at most so many at a time; a power of two */
#define EPOCH_TOOLS 65 /* tools are numbered from 1 */

struct epochs {
	u32 now;
	u32 settled;		 /* tables before this epoch do not change any more */
	u32 wanted[EPOCH_TOOLS]; /* by tool: the oldest epoch whose table it has not taken from */
	u32 bits;		 /* of the tables */
	u64 stacks;		 /* in the tables before settled */
};

static INLINE u32 epoch_place(u32 epoch)
{
	return epoch & (EPOCH_TABLES - 1);
}

/* To put a stack, enter, on @cpu: where is the table? Then grace_leave(@phase). Any context. */
static INLINE u32 epochs_enter(const struct epochs *e, struct grace *g, u32 cpu, u32 *phase)
{
	*phase = grace_enter(g, cpu);
	return epoch_place(load_acquire(&e->now));
}

/* Does no tool that lives (@tools, by number) want the table of @epoch any more? */
static inline bool epochs_is_free(const struct epochs *e, const bool *tools, u32 epoch)
{
	if ((s32)(epoch - load_acquire(&e->settled)) >= 0)
		return false;
	for (u32 tool = 1; tool < EPOCH_TOOLS; tool++)
		if (tools[tool] && (s32)(load_acquire(&e->wanted[tool]) - epoch) <= 0)
			return false;
	return true;
}

/* To roll: the table of epoch now + 1 is in its place: it is the one. Whoever calls settles then. */
static inline void epochs_begin(struct epochs *e)
{
	store_release(&e->now, load_relaxed(&e->now) + 1);
}

/*
 * Nobody writes to tables before now any more, once all have left who may have seen one: @wait(@g), 0 or a negative
 * errno, which is returned. Then @settled(@ctx, epoch) for each of them, and all may take from them. One at a time.
 */
static inline int epochs_settle(struct epochs *e, struct grace *g, int (*wait)(struct grace *g),
				void (*settled)(void *ctx, u32 epoch), void *ctx)
{
	u32 now = load_relaxed(&e->now);
	int ret;

	if (load_relaxed(&e->settled) == now)
		return 0;
	ret = wait(g);
	if (ret)
		return ret;
	for (u32 epoch = load_relaxed(&e->settled); epoch != now; epoch++)
		settled(ctx, epoch);
	store_release(&e->settled, now);
	return 0;
}

/* Tool @tool takes what it wants of all that is settled, by @take(@ctx, epoch), and then does not want it any more. */
static inline void epochs_take(struct epochs *e, u32 tool, void (*take)(void *ctx, u32 epoch), void *ctx)
{
	u32 settled = load_acquire(&e->settled);

	for (u32 epoch = load_relaxed(&e->wanted[tool]); epoch != settled; epoch++)
		take(ctx, epoch);
	store_release(&e->wanted[tool], settled);
}
