/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What counters have counted in the open window: how much was taken, what of it was lost, and what recording it has cost.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/strings.h"
#include "base/vec.h"

/* All-zero: nothing has been counted. */
struct window_counts {
	struct strings names;
	struct vec(struct window_count {
		uint64_t total; /* so far, by window_counts_total() */
		uint64_t open;	/* in the open window */
	}) by_name;		/* by number of the name */
};

/* Is the counter @name kept by windows? */
bool window_counts_has(const char *name);

/* @n more were counted by @name. Returns 0 or -ENOMEM. */
int window_counts_add(struct window_counts *l, const char *name, uint64_t n);

/* @name has counted @total so far: what is new belongs to the open window. Returns 0 or -ENOMEM. */
int window_counts_total(struct window_counts *l, const char *name, uint64_t total);

void window_counts_done(struct window_counts *l);
