/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The pool of walkers: a walk sleeps, so its working memory cannot be the CPU's. */
#pragma once
#include "maps.h"

/* Claim a walker for @tid, looking first where one was used for the same @hint. NULL: all are taken. */
CORE struct walker *walker_claim(u32 tid, u32 hint);

static INLINE void walker_release(struct walker *w)
{
	xchg(&w->head.tid, 0);
}
