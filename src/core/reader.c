/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "core/reader.h"

GLOBAL int reader_seek(struct reader *r NONNULL, u64 addr)
{
	return reader_seek_flat(r, addr);
}

GLOBAL u64 reader_leb(struct reader *r NONNULL, bool is_signed)
{
	u64 val = 0;
	u32 bits = 0;
	u8 byte = 0;

	each (i, 10) {
		byte = reader_u8(r);
		val |= (u64)(byte & 0x7f) << (7 * i & 63);
		bits = 7 * i + 7;
		if (!(byte & 0x80))
			break;
	}
	if (is_signed && byte & 0x40 && bits < 64)
		val |= ~0ULL << (bits & 63);
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
