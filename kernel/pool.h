/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Working memory of walks. A walk sleeps, so it cannot be per CPU, and 84 KB are too much for a stack. */
#pragma once
#include <linux/sched.h>
#include "walking.h"

#define WALKERS 64

/*
 * What a walk has used up: it faults a page in once (unless another page takes its place in @page), and its look-ups of
 * mappings are limited.
 */
#define GUARD_PAGES 16
struct guard {
	u64 page[GUARD_PAGES]; /* page number + 1, by hash */
	u32 faults, looks, lookups;
};

struct walker {
	struct guard guard;
	/* the address space of which @walk knows mappings */
	struct mm_struct *mm;
	u64 start_boottime, exec_id;
	u32 sequence;
	struct walk *walk;
};

/*
 * Claim a walker for the current task, which releases it. It is allocated when it is first needed. Returns it, or an
 * ERR_PTR: -EBUSY: all are taken, or the task has one, as a program runs in the page fault of a walk; -ENOMEM. May
 * sleep.
 */
struct walker *walker_claim(void);
void walker_release(struct walker *w);

/* Return the walker of the current task; NULL: it has none. */
struct walker *walker_here(void);

/* Free all walkers, when no task has one any more. */
void walkers_free(void);
