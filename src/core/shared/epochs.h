/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How a fresh stack table takes the place of a full one while all CPUs go on.
 *
 * Tables have numbers, epochs, and the table of epoch e is at place e % EPOCH_TABLES. To put a stack, a CPU enters
 * (grace.h), reads the current epoch, puts the stack into its table, and leaves. To roll (one tool at a time) is to put
 * a fresh table into a free place, to make it the current one, to wait until all that may have seen the old one have
 * left, and to mark all earlier tables as settled: nothing is added to them any more. Each tool then takes what it
 * wants from settled tables, and notes that it has; a table from which all tools have taken is freed. If a tool does
 * not do so, there is no free place and no roll, and the table fills up: then stacks travel inline.
 *
 * So an id leads to its stack for as long as its reader wants, and only the tool that rolls waits.
 */
#pragma once
#include "core/shared/grace.h"

#define EPOCH_TABLES 4 /* the most tables at a time; a power of two */
#define EPOCH_TOOLS 65 /* tools are numbered from 1 */

struct epochs {
	u32 now;
	u32 settled;		 /* tables before this epoch do not change any more */
	u32 wanted[EPOCH_TOOLS]; /* by tool: the oldest epoch that it has not taken from */
	u32 bits;		 /* of the tables */
	u64 stacks;		 /* in the tables before @settled */
};

static INLINE u32 epoch_place(u32 epoch)
{
	return epoch & (EPOCH_TABLES - 1);
}

/*
 * Enter, on @cpu, to put a stack. Returns the place of the current table. Call grace_leave(@phase) afterwards. Any
 * context.
 */
static INLINE u32 epochs_enter(const struct epochs *e, struct grace *g, u32 cpu, u32 *phase)
{
	*phase = grace_enter(g, cpu);
	return epoch_place(load_acquire(&e->now));
}

/* Has every living tool (@tools, by number) taken from the table of @epoch? */
static inline bool epochs_is_free(const struct epochs *e, const bool *tools, u32 epoch)
{
	if ((s32)(epoch - load_acquire(&e->settled)) >= 0)
		return false;
	for (u32 tool = 1; tool < EPOCH_TOOLS; tool++)
		if (tools[tool] && (s32)(load_acquire(&e->wanted[tool]) - epoch) <= 0)
			return false;
	return true;
}

/* Roll: make the table of epoch now + 1, which is in its place, the current one. The caller settles afterwards. */
static inline void epochs_begin(struct epochs *e)
{
	store_release(&e->now, load_relaxed(&e->now) + 1);
}

/*
 * Settle all tables before the current one: wait until all that may have seen one have left, by @wait(@g), call
 * @settled(@ctx, epoch) for each table, and let the tools take from them. One caller at a time. Returns 0, or the
 * negative errno of @wait().
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

/* Take what tool @tool wants from all settled tables, by @take(@ctx, epoch), and note that it has. */
static inline void epochs_take(struct epochs *e, u32 tool, void (*take)(void *ctx, u32 epoch), void *ctx)
{
	u32 settled = load_acquire(&e->settled);

	for (u32 epoch = load_relaxed(&e->wanted[tool]); epoch != settled; epoch++)
		take(ctx, epoch);
	store_release(&e->wanted[tool], settled);
}
