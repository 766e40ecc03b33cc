/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A page-sized piece of target memory, for scans in steps of words. */
#pragma once
#include "core/port.h"

struct page {
	u64 base;
	u32 len; /* bytes that were read; 0: none */
	u32 reads;
	s32 end_error; /* why they are not more: -EFAULT or -EACCES */
	struct bounds bounds;
	u32 word[PAGE_BYTES / 4];
};

/* Where a scan stopped, as it has to wait for a page: the next one of the same memory goes on there. */
struct scan_pause {
	u64 of, at;   /* @of: what is scanned; 0: no scan stopped */
	u32 sequence; /* of the address space, as struct vma has it */
	u32 pad;
};

static INLINE u64 scan_from(const struct scan_pause *p, u64 of, u32 sequence, u64 start)
{
	return p->of == of && p->sequence == sequence ? p->at : start;
}

/*
 * Make @p hold @len bytes (at most 32) at @addr, a multiple of 4, or as many as there are before the end of their page:
 * page_has() says how many bytes page_word() can read. Returns 0; -EFAULT or -EACCES: none can be read.
 */
GLOBAL int page_hold(struct page *p NONNULL, u64 addr, u32 len);

static INLINE u64 page_has(const struct page *p, u64 addr)
{
	return p->base + p->len - addr;
}

static INLINE u32 page_word(const struct page *p, u64 addr)
{
	return at(p->word, (addr - p->base) / 4);
}
