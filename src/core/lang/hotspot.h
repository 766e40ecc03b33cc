/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The frames of Java, of HotSpot 17, 21 and 25.
 *
 * Its code needs no frame pointer and has no CFI, but the runtime describes itself: its tables of fields (vmStructs.cpp) say
 * where the code cache is. A map of the cache leads from an address to the blob of code that it lies in, and that has the size of
 * its frame. So the native walk leaves these frames here; and as each of them belongs to a method, or to some that were inlined,
 * their frames take its place in the stack at once: nothing has to be joined later.
 */
#pragma once
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

/* What a frame's code is. */
enum hotspot_kind { HOTSPOT_STUB, HOTSPOT_COMPILED, HOTSPOT_NATIVE, HOTSPOT_INTERPRETER };

/*
 * Find the code of the frame of w->machine, which is in memory without a file, to w->lang.hotspot. Returns 0; -ENOENT: it is not HotSpot's;
 * -EFAULT or -EACCES.
 */
GLOBAL int hotspot_find(struct walk *w NONNULL);

/*
 * Put the frames of the methods to l->frame[], and go to the caller. Each of these returns 0, -EFAULT or -EACCES. If l->is_first is set then,
 * steps of a language have to be done before; then the frame again.
 */
GLOBAL int hotspot_methods(struct walk *w NONNULL); /* of compiled code */
GLOBAL int hotspot_interpreted(struct walk *w NONNULL);
GLOBAL int hotspot_compiled(struct walk *w NONNULL); /* without methods */
GLOBAL int hotspot_stub(struct walk *w NONNULL);

/* Put the frames in l->frame, from the innermost outwards, in place of the native one. Returns 0 or TOO_DEEP. */
GLOBAL u32 hotspot_add(struct walk *w NONNULL);

/* Put that of the code at l->code alone, or of the stub l->hotspot. */
GLOBAL int hotspot_put(struct lang *l NONNULL, u32 position);

/* hotspot_code.c: find out about the method at l->code, to l->hotspot and l->fingerprint. Returns 0, -EFAULT or -EACCES. */
GLOBAL int hotspot_method(struct lang *l NONNULL);

/* Is @addr in a code heap? */
GLOBAL bool hotspot_has(const struct lang *l NONNULL, u64 addr);

/* Parts that are verified once. */
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
