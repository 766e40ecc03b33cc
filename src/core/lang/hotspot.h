/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The frames of Java: parts of what core/hotspot.h promises. */
#pragma once
#include "core/hotspot.h"
#include "core/walk/walk.h"

/* Look at more of the tables of fields. Returns as python_learn() does; 1: there is more to do. */
GLOBAL int hotspot_learn(struct walk *w NONNULL);

/* Which version is it? Returns 0; -EAGAIN: it has not begun; -ENOSYS: one that is not known; -EFAULT or -EACCES. */
GLOBAL int hotspot_settle(struct lang *l NONNULL);

/* Keep what the code at l->code is, and give it its number. */
GLOBAL int hotspot_code(struct walk *w NONNULL);

/* They are there when the native stack has been walked. */
static INLINE int hotspot_thread(struct walk *w)
{
	w->lang.nr_frames = 0;
	return -ESRCH;
}

#define hotspot_frame(w) hotspot_thread(w)

#define MAX_SCOPES 64 /* methods at one place: those that were inlined */

/* Put that of the code at l->code alone, or of the stub l->hotspot. */
GLOBAL int hotspot_put(struct lang *l NONNULL, u32 position);

/* hotspot_code.c: find out about the method at l->code, to l->hotspot and l->fingerprint. Returns 0, -EFAULT or -EACCES. */
GLOBAL int hotspot_method(struct lang *l NONNULL);

/* Is @addr in a code heap? */
GLOBAL bool hotspot_has(const struct lang *l NONNULL, u64 addr);

#define HOTSPOT_BLOB_BYTES 128 /* of any blob that are read, */
#define HOTSPOT_CODE_BYTES 352 /* and of one with a method's code, which has so many at least */

/* Parts that are verified once. */
GLOBAL bool hotspot_is_readable(const struct lang *l NONNULL);
GLOBAL int hotspot_hash(struct lang *l NONNULL);
GLOBAL int hotspot_find_scope(struct lang *l NONNULL);
GLOBAL int hotspot_scope(struct lang *l NONNULL);
GLOBAL int hotspot_put_scope(struct lang *l NONNULL);
GLOBAL int hotspot_segment(struct lang *l NONNULL, u32 heap, u64 pc);
GLOBAL int hotspot_text(struct lang *l NONNULL, u64 text, u32 to, u32 room);
GLOBAL int hotspot_words(struct lang *l NONNULL);
GLOBAL int hotspot_heaps(struct lang *l NONNULL);
GLOBAL int hotspot_blob(struct lang *l NONNULL, u64 pc);
GLOBAL int hotspot_seek(struct walk *w NONNULL);
GLOBAL u32 hotspot_begun(struct walk *w NONNULL);
GLOBAL int hotspot_go_up(struct walk *w NONNULL, u64 at, u64 sp, u32 surety);
GLOBAL int hotspot_entry(struct lang *l NONNULL, bool is_type);

static INLINE u64 hotspot_field(const struct lang *l, enum hotspot_field which)
{
	return l->runtime.hotspot.field[which];
}

/* A number at a word of what was read, which is at @offset: where fields are is the target's word. */
#define half_of(word, offset) ((u32)(word_of(word, offset) >> ((offset) & 4) * 8))
#define short_of(word, offset) ((u16)(word_of(word, offset) >> ((offset) & 6) * 8))
