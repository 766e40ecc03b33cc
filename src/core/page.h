/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A page-sized piece of target memory, for scans in steps of words. */
#pragma once
#include "port.h"

struct page {
	u64 base;
	u32 len;			/* bytes that were read; 0: nothing */
	u32 reads;
	u32 word[PAGE_BYTES / 4];
};

/* Hold @len bytes (at most 32) at @addr, a multiple of 4. 0, -EFAULT or -EACCES. Then page_word() reads them. */
CORE int page_hold(struct page *p, u64 addr, u32 len);

static INLINE u32 page_word(const struct page *p, u64 addr)
{
	return at(p->word, (addr - p->base) / 4);
}
