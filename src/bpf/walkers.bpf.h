/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The pool of walkers: a walk sleeps, so its working memory cannot be the CPU's. */
#pragma once
#include "maps.h"

/*
 * Claim a walker for @tid, looking first where one was used for the same @hint. *@index: which one, + 1. NULL: all are
 * taken.
 */
CORE struct walker *walker_claim(u32 tid, u32 hint, u32 *index);

static INLINE void walker_release(struct walker *w)
{
	watch_release(&w->head);
}
