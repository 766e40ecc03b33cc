/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The functions of JavaScript in Node.js 18 to 24: V8's frames.
 *
 * Each function has a native frame of its own, whose frame pointer leads to the function: one is made for whatever runs it, V8's
 * interpreter, or code that was compiled. So the native stack is gone through, and what belongs to a function is joined to its frame.
 *
 * V8 says of itself where its objects have what, in words that it exports for debuggers (v8dbg_...). The collector moves objects. What
 * a frame leads to is believed only if each object on the way is of the type that it has to be.
 */
#pragma once
#include "core/walk/walk.h"

/*
 * Each is a step. Returns 0; -ESRCH: the thread has no functions; -ENOSYS: a version that is not known; -E2BIG: too many frames; -EFAULT
 * or -EACCES: a read has failed, and struct page_wait says whether it has to be waited for.
 */
GLOBAL int v8_learn(struct walk *w NONNULL);
GLOBAL int v8_thread(struct walk *w NONNULL);
GLOBAL int v8_frame(struct walk *w NONNULL);
GLOBAL int v8_code(struct walk *w NONNULL);

/* Its parts that are verified once; v8.c says what they do. */
GLOBAL int v8_open(struct lang *l NONNULL, u64 object, u32 bytes);
GLOBAL int v8_open_as(struct lang *l NONNULL, u64 object, u32 bytes, u32 type);
GLOBAL int v8_find_function(struct lang *l NONNULL);
GLOBAL int v8_find_shared(struct lang *l NONNULL);
GLOBAL int v8_put_place(struct lang *l NONNULL);
GLOBAL int v8_find_scope(struct lang *l NONNULL);
GLOBAL int v8_look_at_text(struct lang *l NONNULL);
GLOBAL int v8_read_text(struct lang *l NONNULL, u64 from);
GLOBAL int v8_count_lines(struct walk *w NONNULL);

/* v8_place.c: what follows from the words of V8 for code; and get the place in its function of the native frame that is looked at, to l->v8.at. */
GLOBAL int v8_lay_out(struct lang *l NONNULL);
GLOBAL int v8_find_place(struct walk *w NONNULL);

/* v8_place.c: steps towards the functions that are at a place. Return 0; -ENOENT, -ESRCH: they are not known; -EFAULT or -EACCES. */
GLOBAL int v8_search_code(struct walk *w NONNULL);
GLOBAL int v8_open_code(struct lang *l NONNULL);
GLOBAL int v8_read_positions(struct walk *w NONNULL);
GLOBAL int v8_find_inlined(struct lang *l NONNULL);

#define MAX_INLINED 16 /* functions at a place */
#define PLACE_DEPTH 48 /* the bit of a place from which on it has the number of functions that were inlined there */
#define OUTERMOST 1ULL /* in a fingerprint: the function is that of the frame */
