/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "core/reader.h"

CORE int reader_seek(struct reader *r, u64 addr)
{
	u32 left = PAGE_BYTES - (addr & (PAGE_BYTES - 1));
	u64 room = r->bounds.end - addr;
	int err;

	r->base = addr;
	r->pos = 0;
	r->len = READER_WINDOW;
	r->overran = 0;
	r->end_error = -EFAULT; /* an item that does not fit in the window is malformed */
	r->fills++;
	bounds_note(&r->bounds, addr, 1);
	err = read_flat(r->window, READER_WINDOW, addr);
	if (!err && room - 1 < READER_WINDOW)
		r->len = room;
	if (!err || left >= READER_WINDOW)
		return err;
	r->end_error = err;
	memset(r->window, 0, sizeof(r->window));
	r->len = left;
	return read_flat(r->window, left, addr); /* the section may end close to the end of its mapping */
}

GLOBAL u64 reader_leb(struct reader *r NONNULL, bool is_signed)
{
	u64 val = 0;
	u32 shift = 0;
	u8 byte = 0;

	for (u32 i = 0; i < 10; i++) {
		byte = reader_u8(r);
		val |= (u64)(byte & 0x7f) << (shift & 63);
		shift += 7;
		if (!(byte & 0x80))
			break;
	}
	if (is_signed && byte & 0x40 && shift < 64)
		val |= ~0ULL << (shift & 63);
	return verifier_forget(r->leb, val); /* or each length would be a path of its own */
}

GLOBAL u32 reader_uint(struct reader *r NONNULL, u32 bytes)
{
	u32 val = 0;

	for (u32 i = 0; i < 4; i++)
		if (i < bytes)
			val |= (u32)reader_u8(r) << 8 * i;
	return val;
}
