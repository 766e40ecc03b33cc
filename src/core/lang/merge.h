/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Join the native stack with that of a language.
 *
 * l->frame has the frames of the language from the innermost outwards, and behind those of each run of the loop an address on
 * the native stack. They belong between the native frame that holds the address, which is the loop's, and what that has called.
 */
#pragma once
#include "core/walk/walk.h"

/* Make w->out the joined stack. It never waits. Returns 0; -ENOENT: a native frame of the loop is missing, and w->out is unchanged. */
GLOBAL int merge_stacks(struct walk *w NONNULL);
