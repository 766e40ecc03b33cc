/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * References to stacks that come from a cache, and not through the stack table.
 *
 * Each CPU counts its own, by id, until another id needs the place; then they are added to the stack's own count.
 * Readers add up both. So a stack that occurs on all CPUs has no word that all of them write.
 */
#pragma once
#include "core/atomic.h"

#define AGAIN_WAYS 64
#define AGAIN_ROWS 64	     /* CPUs with higher numbers share them; a power of two */
#define AGAIN_MAX (1u << 20) /* a larger count would run into the id */

struct again_row {
	u64 count[AGAIN_WAYS]; /* id << 32 | count */
};

static INLINE u32 again_way(u32 id)
{
	return id * 0x9E3779B1u >> 26;
}

/*
 * Count @n references (less than AGAIN_MAX) to stack @id. Returns what to add to a stack's own count now, in the format
 * of a row's words: these, or those that had the place; 0: nothing. Any context.
 */
static INLINE u64 again_count(struct again_row *row, u32 id, u32 n)
{
	u64 *way = &at(row->count, again_way(id)), old = load_relaxed(way), more = (u64)id << 32 | n;

	if (old >> 32 == id && (u32)old < AGAIN_MAX)
		return cmpxchg(way, old, old + n) == old ? 0 : more;
	return cmpxchg(way, old, more) == old ? old : more; /* else an interrupt came in between */
}

/* Return the references to stack @id that are not in its own count. */
static inline u64 again_references(const struct again_row rows[AGAIN_ROWS], u32 id)
{
	u64 sum = 0;

	for (u32 row = 0; row < AGAIN_ROWS; row++) {
		u64 count = load_relaxed(&rows[row].count[again_way(id)]);

		sum += count >> 32 == id ? (u32)count : 0;
	}
	return sum;
}
