/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "core/rowcache.h"

struct row_entry rowcache[ROWS] SHARED("rows");

CORE void rowcache_put(u64 key, u32 owner, const struct row *row)
{
	struct row_entry *e = rowcache_entry(key + owner);
	u32 seen;

	if (!seqcount_write(&e->sequence, &seen))
		return;
	e->key = key;
	e->owner = owner;
	e->row = *row;
	seqcount_written(&e->sequence, seen);
}
