/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How many samples stand on each node of the stack tree, and how many above it?
 *
 * Samples are added up by node first, and nodes into their parents after that: what a view costs grows with the number
 * of distinct stacks, not of samples.
 */
#pragma once
#include "report/group.h"

/* One group of tasks. Good while weigh() runs the function that got it. */
struct weight {
	uint32_t group;
	uint64_t samples;		/* of the group */
	uint64_t all;			/* of all groups */
	uint32_t nr;
	const uint32_t *place;		/* what has weight: children before parents, and no place 0 */
	const uint64_t *self, *total;	/* by place; 0 for whatever is not in @place */
};

typedef int (*weigh_fn)(void *ctx, const struct weight *w);

/* Call @fn for each group that has samples. Anything but 0 that it returns stops, and is returned. -ENOMEM. */
int weigh(const struct dusk_profile *p, const struct groups *g, weigh_fn fn, void *ctx);
