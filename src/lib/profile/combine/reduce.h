/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the files that make a profile smaller share. See <dusk/dusk.h>, dusk_profile_reduce(). */
#pragma once
#include <dusk/dusk.h>

#define LEFT_OUT "[...]" /* the frame that stands for callers that are left out */

/* Threads that were in one window of @window_ns only become one with those alike. Adds to *@nr how many are gone. */
int reduce_threads(struct dusk_profile *p, uint64_t window_ns, uint64_t *nr);

/* Sums of the same window, thread, stack, kind and outcome become one. */
void reduce_sums(struct dusk_profile *p, uint64_t window_ns);

/* Off-CPU intervals that have a time of their own become sums, too, without their wakers. Adds to *@nr how many there were. */
void reduce_intervals(struct dusk_profile *p, uint64_t *nr);

/* Stacks keep those of their outer frames in which at least @rare_ns were spent, and the innermost one. */
int reduce_stacks(struct dusk_profile *p, uint64_t rare_ns);

/* How many samples and intervals have a stack from which callers were left out. */
uint64_t reduce_count_shortened(const struct dusk_profile *p);

/* Remove modules, functions, frames, lines and wakers that nothing refers to any more. */
int reduce_sweep(struct dusk_profile *p);

/* Put frames, functions and nodes in an order in which they take little room. */
int reduce_order(struct dusk_profile *p);
