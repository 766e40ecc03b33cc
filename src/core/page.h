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

/*
 * Make @p hold @len bytes (at most 32) at @addr, a multiple of 4, or as many as there are before the end of their page:
 * page_has() says how many bytes page_word() can read. Returns 0; -EFAULT or -EACCES: none can be read.
 */
CORE int page_hold(struct page *p, u64 addr, u32 len);

static INLINE u64 page_has(const struct page *p, u64 addr)
{
	return p->base + p->len - addr;
}

static INLINE u32 page_word(const struct page *p, u64 addr)
{
	return at(p->word, (addr - p->base) / 4);
}
