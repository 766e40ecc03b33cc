/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "core/rowcache.h"

struct row_entry rowcache[ROWS] SHARED("rows");

CORE void rowcache_put(u64 key, const struct row *row)
{
	struct row_entry *e = rowcache_entry(key);
	u32 sequence = load_relaxed(&e->sequence);

	if (sequence & 1 || cmpxchg(&e->sequence, sequence, sequence + 1) != sequence)
		return;
	fence_release();
	e->key = key;
	e->row = *row;
	store_release(&e->sequence, sequence + 2);
}
