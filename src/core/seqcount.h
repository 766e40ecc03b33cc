/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A sequence count guards an entry that several CPUs read and write, none of which waits for another.
 *
 * It is odd during a write. A reader that finds it odd, or finds it changed afterwards, must not use what it has read. A
 * writer that finds it odd leaves the entry to the other writer.
 *
 * Between the two calls a reader copies or compares plain words, which may be half written: a length or an index among
 * them must be checked before it is used. doc/memory-order.md says why these barriers are sufficient.
 */
#pragma once
#include "core/atomic.h"

/* Begin to read. Returns the count, for the next two. */
static INLINE u32 seqcount_read(const u32 *count)
{
	return load_acquire(count);
}

/* Was the entry being written when seqcount_read() returned @seen? */
static INLINE bool seqcount_is_odd(u32 seen)
{
	return seen & 1;
}

/* Has nobody begun to write since seqcount_read() returned @seen? */
static INLINE bool seqcount_unchanged(const u32 *count, u32 seen)
{
	fence_acquire();
	return load_relaxed(count) == seen;
}

/* Begin to write: *@ret becomes the count, for seqcount_written(). False: another CPU is writing. */
static INLINE bool seqcount_write(u32 *count, u32 *ret)
{
	u32 seen = load_relaxed(count);

	if (seqcount_is_odd(seen) || cmpxchg(count, seen, seen + 1) != seen)
		return false;
	fence_release();
	*ret = seen;
	return true;
}

/* End the write for which seqcount_write() gave @seen. */
static INLINE void seqcount_written(u32 *count, u32 seen)
{
	store_release(count, seen + 2);
}
