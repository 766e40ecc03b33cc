/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A forward reader of target memory.
 *
 * It holds a window of bytes. A decoder calls reader_ready() once per item; within an item (at most READER_ITEM bytes)
 * reading has no error path. Bytes that could not be read come as zero, and the next reader_ready() or reader_check()
 * fails, so that a decoder never uses bytes that were not there.
 */
#pragma once
#include "core/port.h"

#define READER_WINDOW 256
#define READER_ITEM 32

struct reader {
	u64 base; /* address of window[0] */
	u32 pos;  /* next byte */
	u32 len;  /* bytes of the window that were read */
	u32 fills;
	u32 overran;	      /* an item was read that was not completely there */
	s32 end_error;	      /* why the window is not longer: -EFAULT or -EACCES */
	u64 leb;	      /* the last LEB128 */
	struct bounds bounds; /* a window that begins before their end does not go beyond it */
	union {
		u8 window[READER_WINDOW];
		u32 word[READER_WINDOW / 4]; /* the same, for headers at the window's start */
	};
};

/* Read from @addr on. Returns 0, -EFAULT or -EACCES. */
GLOBAL int reader_seek(struct reader *r NONNULL, u64 addr);

/* The same without a call frame. */
static INLINE int reader_seek_flat(struct reader *r, u64 addr)
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
	err = port_read(r->window, READER_WINDOW, addr);
	if (!err && room - 1 < READER_WINDOW)
		r->len = room;
	if (!err || left >= READER_WINDOW)
		return err;
	r->end_error = err;
	memset(r->window, 0, sizeof(r->window));
	r->len = left;
	return port_read(r->window, left, addr); /* the section may end close to the end of its mapping */
}

/* Read a LEB128 of at most ten bytes. */
GLOBAL u64 reader_leb(struct reader *r NONNULL, bool is_signed);

/* Read an unsigned number of at most four bytes. */
GLOBAL u32 reader_uint(struct reader *r NONNULL, u32 bytes);

static INLINE u64 reader_uleb(struct reader *r)
{
	return reader_leb(r, false);
}

static INLINE s64 reader_sleb(struct reader *r)
{
	return (s64)reader_leb(r, true);
}

static INLINE u64 reader_addr(const struct reader *r)
{
	return r->base + r->pos;
}

/* Skip @bytes; then call reader_ready(). */
static INLINE void reader_skip(struct reader *r, u32 bytes)
{
	r->overran |= r->pos > r->len;
	r->base += (u64)r->pos + bytes;
	r->pos = r->len = 0;
}

/* Continue at @addr, anywhere in memory; then call reader_ready(). */
static INLINE void reader_go(struct reader *r, u64 addr)
{
	r->base = addr;
	r->pos = r->len = r->overran = 0;
}

/* Continue at @addr, without a read if the window has it. Returns 0, -EFAULT or -EACCES. */
static INLINE int reader_to(struct reader *r, u64 addr)
{
	u64 off = addr - r->base;

	if (off >= r->len)
		return reader_seek(r, addr);
	r->pos = off;
	r->overran = 0;
	return 0;
}

/* Check that all bytes since reader_seek() were really there. Returns 0, -EFAULT or -EACCES. */
static INLINE int reader_check(const struct reader *r)
{
	return r->overran || r->pos > r->len ? r->end_error : 0;
}

/* Make sure that a whole item can be read. Returns 0, -EFAULT or -EACCES. */
static INLINE int reader_ready(struct reader *r)
{
	int err = reader_check(r);

	if (err)
		return err;
	return r->pos + READER_ITEM > r->len ? reader_seek(r, reader_addr(r)) : 0;
}

static INLINE u8 reader_u8(struct reader *r)
{
	u32 pos = r->pos;

	r->pos = pos + 1;
	return at(r->window, pos);
}

static INLINE u16 reader_u16(struct reader *r)
{
	return reader_uint(r, 2);
}

static INLINE u32 reader_u32(struct reader *r)
{
	return reader_uint(r, 4);
}

static INLINE u64 reader_u64(struct reader *r)
{
	u64 low = reader_u32(r);

	return low | (u64)reader_u32(r) << 32;
}
