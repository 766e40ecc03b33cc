/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the frames of all languages are made with: reads of words, numbers of code, and l->frame. */
#pragma once
#include "core/lang/code.h"
#include "core/port.h"

/* Return word @offset of what was read to @word: where structures have a field is the target's word. */
#define word_of(word, offset) at(word, (offset) / sizeof(u64))

/* Read the word at @addr, to l->value. Returns 0, -EFAULT or -EACCES. */
GLOBAL int read_word(struct lang *l NONNULL, u64 addr); /* code.c */

/* The same where BPF has no call frame left. */
static INLINE int read_word_in_place(struct lang *l, u64 addr)
{
	return port_read(&l->value, sizeof(l->value), addr);
}

/*
 * Get the number of the code at l->code with l->fingerprint, to l->code_number; 0: there is no room for it. -ENOENT: it is not
 * known yet.
 */
static INLINE int code_is_known(struct lang *l)
{
	bool is_numbered = l->numbered == l->code;

	l->code_number = is_numbered ? l->number : port_code_number(l->space, l->code, l->fingerprint);
	return l->code_number || is_numbered ? 0 : -ENOENT;
}

/*
 * Read the text of @length bytes at @addr to @to in l->content, as far as there is @room for it, at most 511 bytes; its length to l->value,
 * at most 0xffff.
 */
static INLINE int read_content(struct lang *l, u64 addr, u64 length, u32 to, u32 room)
{
	u64 bytes = verifier_forget(l->bytes, length);

	l->value = length < 0xffff ? length : 0xffff;
	if (bytes > (room & 511))
		bytes = room & 511;
	return port_read(&within((u8 *)l->content_word, to, 511), bytes, addr);
}

/* Before content is read: it is compared with that of other code as a whole. */
static INLINE void clear_content(struct lang *l)
{
	each (i, COUNT(l->content_word))
		within(l->content_word, i, 255) = 0;
}

static INLINE void put_frame(struct lang *l, u64 frame)
{
	u32 nr = l->nr;

	at(l->frame, nr) = frame;
	l->nr = nr + 1;
	l->nr_in_run++;
	l->nr_frames++;
}

/* A run of the loop begins behind the frame that was put last; @mark lies on the native stack for it, or is LANG_NEXT_LOOP. */
static INLINE void end_run(struct lang *l, u64 mark)
{
	u32 nr = l->nr;

	if (!l->nr_in_run || nr >= MAX_DEPTH)
		return;
	at(l->frame, nr) = mark & ~(0xffffULL << 48);
	l->nr = nr + 1;
	l->nr_in_run = 0;
	l->runs++;
}
