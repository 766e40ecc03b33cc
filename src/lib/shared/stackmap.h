/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The stackmap as user space sees it: tables that the kernel side fills, one after the other (core/shared/epochs.h),
 * and what we have kept of those that are gone, so that an id leads to its stack for as long as we live.
 */
#pragma once
#include "abi/types.h"
#include "core/shared/registry.h"
#include "core/shared/stacktable.h"

struct pins;
struct stackmap;

/* Can tables have this size? 0 is the default. */
static inline bool stackmap_is_size(u32 bits)
{
	return !bits || (bits >= STACK_MIN_BITS && bits <= STACK_MAX_BITS);
}

/* Make the table of @epoch: a file descriptor, or a negative errno. */
int stackmap_make_table(u32 bits, u32 epoch);

/* The bits of the tables that are pinned, or a negative errno. */
int stackmap_pinned_bits(const struct pins *p);

/*
 * The stackmap whose tables lie in the map of maps @fd and are pinned at @p, or with NULL ours alone. @tool: our
 * number; 0: we only look. *@ret is to be freed with stackmap_free(). All that are said to want the lock (pins_lock())
 * want it if there are @p.
 */
int stackmap_new(struct stackmap **ret, int fd, const struct pins *p, struct registry *r, u32 tool);
void stackmap_free(struct stackmap *m);

/* Lay the first table, @table, into the map. */
int stackmap_begin(struct stackmap *m, int table, u32 bits);

/* We came to what others have begun: from here on tables wait for us. Under the lock. */
void stackmap_join(struct stackmap *m);

/* The frames of stack @id, *@nr how many; they stay as they are until stackmap_forget(). NULL: there is none. */
const u64 *stackmap_frames(struct stackmap *m, u32 id, u32 *nr);

/* The table of @epoch, if it is there yet or still. */
const struct stacktable *stackmap_table(struct stackmap *m, u32 epoch);

/* The oldest epoch whose table is there or was kept, up to @now. */
u32 stackmap_oldest(struct stackmap *m, u32 now);

/* The table that is filled now, mapped into our memory until stackmap_free(), or NULL. */
const struct stacktable *stackmap_now(struct stackmap *m);

/* Is anything to be done? Cheap: a few loads. */
bool stackmap_is_due(struct stackmap *m);

/*
 * Keep what is settled, take a fresh table if this one is 3/4 full, give back those that nobody wants. 0 or a negative
 * errno. Under the lock.
 */
int stackmap_keep(struct stackmap *m);

/* Take a fresh table now. -EBUSY: some tool has not taken from the old ones yet. Under the lock. */
int stackmap_roll(struct stackmap *m);

/* We hold no ids of settled tables any more. */
void stackmap_forget(struct stackmap *m);

/* What was counted in all tables since stackmap_join() or stackmap_begin(), to @ret. */
void stackmap_count(struct stackmap *m, struct stack_counts *ret);

/* Stacks in all tables so far. */
u64 stackmap_stacks(struct stackmap *m);
