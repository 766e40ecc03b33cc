/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The stackmap in user space: tables that the kernel side fills, one after the other (core/shared/epochs.h), and our
 * copies of those that are gone, so that an id leads to its stack until stackmap_forget().
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

/* Make the table of @epoch. Returns a file descriptor or a negative errno. */
int stackmap_make_table(u32 bits, u32 epoch);

/* Return the bits of the tables that are pinned, or a negative errno. */
int stackmap_pinned_bits(const struct pins *p);

/*
 * Make the stackmap with its tables in the map of maps @fd, pinned at @p; NULL: they are ours alone. @tool: our number;
 * 0: we only look. *@ret is to be freed with stackmap_free(). Functions below that say "with the lock held" mean
 * pins_lock(), and need it only if there is @p.
 */
int stackmap_new(struct stackmap **ret, int fd, const struct pins *p, struct registry *r, u32 tool);
void stackmap_free(struct stackmap *m);

/* Put the first table, @table, into the map. */
int stackmap_begin(struct stackmap *m, int table, u32 bits);

/* Join a stackmap that another tool has begun: from here on tables wait for us. Call it with the lock held. */
void stackmap_join(struct stackmap *m);

/*
 * Return the frames of stack @id, and in *@nr how many; they stay valid until stackmap_forget(). NULL: there is none.
 */
const u64 *stackmap_frames(struct stackmap *m, u32 id, u32 *nr);

/* Return the table of @epoch; NULL: it does not exist yet, or not any more. */
const struct stacktable *stackmap_table(struct stackmap *m, u32 epoch);

/* Return the oldest epoch, up to @now, with a table that exists or was copied. */
u32 stackmap_oldest(struct stackmap *m, u32 now);

/* Return the table that is filled now, mapped into our memory until stackmap_free(), or NULL. */
const struct stacktable *stackmap_now(struct stackmap *m);

/* Has stackmap_keep() anything to do? Cheap: a few loads. */
bool stackmap_is_due(struct stackmap *m);

/*
 * Copy what is settled, start a fresh table if this one is 3/4 full, and release tables that no tool wants. Returns 0
 * or a negative errno. Call it with the lock held.
 */
int stackmap_keep(struct stackmap *m);

/* Start a fresh table now. -EBUSY: some tool has not copied the old ones yet. Call it with the lock held. */
int stackmap_roll(struct stackmap *m);

/* Declare that we hold no ids of settled tables any more. */
void stackmap_forget(struct stackmap *m);

/* Store in @ret what was counted in all tables since stackmap_join() or stackmap_begin(). */
void stackmap_count(struct stackmap *m, struct stack_counts *ret);

/* Return the number of stacks in all tables so far. */
u64 stackmap_stacks(struct stackmap *m);
