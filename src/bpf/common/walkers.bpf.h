/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The pool of walkers: a walk may sleep, so its working memory cannot be per CPU. */
#pragma once
#include "bpf/common/maps.h"

/* The index at which the search for a walker of process @tgid begins. */
static INLINE u32 walker_first(u32 tgid)
{
	return (tgid * 0x9E3779B1u) >> 16 & (config.nr_walkers - 1);
}

/*
 * Claim a walker for thread @tid, beginning with the one that process @tgid uses first. *@index: its index + 1. NULL:
 * all are taken, or the process has a fourth of them already. To be given back with walker_release().
 */
CORE struct walker *walker_claim(u32 tid, u32 tgid, u32 *index);

static INLINE void walker_release(struct walker *w)
{
	watchdog_release(&w->head);
}
