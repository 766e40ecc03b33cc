/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "core/page.h"

GLOBAL int page_hold(struct page *p NONNULL, u64 addr, u32 len)
{
	u64 off = addr - p->base;
	u32 left = PAGE_BYTES - (addr & (PAGE_BYTES - 1));
	int err;

	bounds_note(&p->bounds, addr, len);
	if (addr >= p->base && off + len <= p->len)
		return 0;
	p->base = addr;
	p->len = PAGE_BYTES;
	p->reads++;
	err = port_read(p->word, PAGE_BYTES, addr);
	if (!err)
		return 0;
	if (left < PAGE_BYTES) { /* the mapping may end with this page */
		p->len = left;
		p->end_error = err;
		err = port_read(p->word, left, addr);
		if (!err)
			return 0;
	}
	p->len = 0;
	return err;
}
