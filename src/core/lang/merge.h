/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Join the native stack with that of a language.
 *
 * l->frame has the frames of the language from the innermost outwards, and behind those of each run of the loop an address on
 * the native stack. They belong between the native frame that holds the address, which is the loop's, and what that has called.
 */
#pragma once
#include "abi/outcome.h"
#include "core/walk/walk.h"

/* Are all native frames there, as they were walked? */
static INLINE bool has_all_frames(const struct walk *w)
{
	return !w->laps && outcome_is_complete(w->outcome);
}

/* Count the native frames of the loop, and of code of a JIT in its place, to w->lang.loops and .jits. */
GLOBAL int merge_count_loops(struct walk *w NONNULL);

/* Make w->out the joined stack. It never waits. Returns 0; -ENOENT: a native frame of the loop is missing, and w->out is unchanged. */
GLOBAL int lang_merge(struct walk *w NONNULL);
