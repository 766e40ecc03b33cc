/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The frames of Java, of HotSpot 17, 21 and 25, while the native stack is walked (lang/hotspot.c).
 *
 * Its code needs no frame pointer and has no CFI, but the runtime describes itself: its tables of fields (vmStructs.cpp) say
 * where the code cache is. A map of the cache leads from an address to the blob of code that it lies in, and that has the size of
 * its frame. So the walk leaves these frames by that; and as each of them belongs to a method, or to some that were inlined,
 * their frames take its place in the stack at once: nothing has to be joined later.
 */
#pragma once
#include "core/env.h"

struct walk;

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
