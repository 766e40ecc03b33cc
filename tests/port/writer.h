/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Bytes as an assembler writes them: little-endian words, LEB128, lengths filled in afterwards. */
#pragma once
#include <assert.h>
#include <string.h>
#include "abi/types.h"

struct writer {
	u8 *bytes;
	u64 addr; /* of bytes[0] in the target */
	u32 len, room;
};

static inline u64 here(const struct writer *w)
{
	return w->addr + w->len;
}

static inline void put(struct writer *w, const void *bytes, u32 len)
{
	assert(len <= w->room - w->len);
	if (len)
		memcpy(w->bytes + w->len, bytes, len);
	w->len += len;
}

static inline void put8(struct writer *w, u8 val)
{
	put(w, &val, sizeof(val));
}

static inline void put16(struct writer *w, u16 val)
{
	put(w, &val, sizeof(val));
}

static inline void put32(struct writer *w, u32 val)
{
	put(w, &val, sizeof(val));
}

static inline void put64(struct writer *w, u64 val)
{
	put(w, &val, sizeof(val));
}

static inline void put_uleb(struct writer *w, u64 val)
{
	while (val >= 0x80) {
		put8(w, val | 0x80);
		val >>= 7;
	}
	put8(w, val);
}

static inline void put_sleb(struct writer *w, s64 val)
{
	while (val < -0x40 || val >= 0x40) {
		put8(w, val | 0x80);
		val >>= 7;
	}
	put8(w, val & 0x7f);
}

static inline void put_text(struct writer *w, const char *text)
{
	put(w, text, strlen(text) + 1);
}

/* Zeroes up to a multiple of @unit bytes from the start. */
static inline void put_align(struct writer *w, u32 unit)
{
	while (w->len % unit)
		put8(w, 0);
}

/* Go on at @addr; what is skipped stays as it is. */
static inline void seek(struct writer *w, u64 addr)
{
	assert(addr >= w->addr && addr - w->addr <= w->room);
	w->len = addr - w->addr;
}

/* @val into the word at @at, an offset in w->bytes: a length that is known now. */
static inline void fix32(struct writer *w, u32 at, u32 val)
{
	memcpy(w->bytes + at, &val, sizeof(val));
}
