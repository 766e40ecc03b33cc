/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Working memory of walks: a walk sleeps, so it cannot be the CPU's, and 32 KB are too much for a stack. */
#pragma once
#include <linux/sched.h>
#include "walking.h"

#define WALKERS 64

/* What a walk has had: no page is faulted in twice, mappings are looked for so often. */
#define GUARD_PAGES 16
struct guard {
	u64 page[GUARD_PAGES]; /* page number + 1, by hash */
	u32 faults, looks, lookups;
};

struct walker {
	struct guard guard;
	/* whose address space the walk's memory knows */
	struct mm_struct *mm;
	u64 start_boottime, exec_id;
	u32 sequence;
	struct walk *walk;
};

/*
 * A walker for the current task, which gives it back: made when it is first needed. -EBUSY: all are taken, or the
 * task has one: a program runs in the page fault of a walk; -ENOMEM. May sleep.
 */
struct walker *walker_claim(void);
void walker_release(struct walker *w);

/* That of the current task; NULL: it has none. */
struct walker *walker_here(void);

/* Nobody has one any more. */
void walkers_free(void);
