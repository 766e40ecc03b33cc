/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The row cache: rows by (module, file offset), shared by all walkers. It is direct-mapped, so that new rows replace
 * old ones. A row that is being written is a miss (seqcount.h).
 *
 * A row has an owner: 0, if it was learnt from the file and holds for all processes; or the number of the process that it
 * was learnt from, if that has copies of the file's pages (range.owner). No other process gets it.
 */
#pragma once
#include "core/row.h"
#include "core/seqcount.h"

#define ROWS 65536

struct row_entry {
	u64 key;
	u32 sequence, owner;
	struct row row;
};

extern struct row_entry rowcache[ROWS];

/*
 * A key: the module's number and the offset in its file, the same in all processes. @is_return: of the byte before a return
 * address. What was interrupted there may be the last instruction before the code to which signal handlers return.
 */
static INLINE u64 rowcache_key(u32 module, u64 file_off, bool is_return)
{
	return (u64)module << 48 | (u64)is_return << 47 | (file_off & ((1ULL << 47) - 1));
}

static INLINE struct row_entry *rowcache_entry(u64 key)
{
	return &at(rowcache, key * 0x9E3779B97F4A7C15ULL >> 48);
}

/* Look up the row of @key and @owner. Returns 0, or -ENOENT: then *@ret is undefined. */
static INLINE int rowcache_get(u64 key, u32 owner, struct row *ret)
{
	struct row_entry *e = rowcache_entry(key + owner);
	u32 seen = seqcount_read(&e->sequence);

	if ((e->key ^ key) | (e->owner ^ owner) | (seen & 1))
		return -ENOENT;
	*ret = e->row;
	return seqcount_unchanged(&e->sequence, seen) ? 0 : -ENOENT;
}

/* Store @row under @key, which is not 0, and @owner, unless another CPU is writing to the entry. */
CORE void rowcache_put(u64 key, u32 owner, const struct row *row);
