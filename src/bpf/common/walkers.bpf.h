/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The pool of walkers: a walk sleeps, so its working memory cannot be the CPU's. */
#pragma once
#include "bpf/common/maps.h"

/* Where the walker of a process is looked for first. */
static INLINE u32 walker_first(u32 tgid)
{
	return (tgid * 0x9E3779B1u) >> 16 & (config.nr_walkers - 1);
}

/*
 * Claim a walker for @tid, looking first where one was used for the process @tgid. *@index: which one, + 1. NULL: all
 * are taken, or a fourth of them is by that process.
 */
CORE struct walker *walker_claim(u32 tid, u32 tgid, u32 *index);

static INLINE void walker_release(struct walker *w)
{
	watchdog_release(&w->head);
}
