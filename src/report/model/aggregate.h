/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How much stands on each node of the stack tree, and how much above it?
 *
 * Samples are added up by node first, and nodes into their parents after that: what a view costs grows with the number
 * of distinct stacks, not of samples.
 */
#pragma once
#include "report/model/group.h"

/* What some samples come to. */
struct amount {
	uint64_t count;		  /* ticks, off-CPU intervals or occurrences */
	uint64_t ns, runnable_ns; /* what they stand for; and of off-CPU intervals, what of it was waiting for a CPU */
	uint64_t longest_ns;	  /* of one; of a sum of off-CPU intervals, their average */
};

/* By what are stacks heavy? */
enum measure { BY_COUNT, BY_TIME, BY_RUNNABLE };

static inline uint64_t amount_by(const struct amount *a, enum measure by)
{
	return by == BY_TIME ? a->ns : by == BY_RUNNABLE ? a->runnable_ns : a->count;
}

/* One group of tasks. Good while aggregate() runs the function that got it. */
struct weight {
	uint32_t group;
	struct amount of_group;
	const struct amount *all; /* of all groups, by source; occurrences as ticks */
	uint32_t nr;
	const uint32_t *place;		   /* what has weight: children before parents, and no place 0 */
	const struct amount *self, *total; /* by place; 0 for whatever is not in @place */
};

typedef int (*aggregate_fn)(void *ctx, const struct weight *w);

/* Call @fn for each group that has samples. Anything but 0 that it returns stops, and is returned. -ENOMEM. */
int aggregate(const struct dusk_profile *p, const struct groups *g, aggregate_fn fn, void *ctx);

struct amount amount_of(const struct dusk_sample *s);
void amount_add(struct amount *to, const struct amount *a);

static inline uint64_t average_ns(const struct amount *a)
{
	return a->count ? a->ns / a->count : 0;
}

/* Of both sources: of no use as a count, unless one of them is 0. */
static inline uint64_t amount_of_all(const struct amount all[2], enum measure by)
{
	return amount_by(&all[DUSK_CPU], by) + amount_by(&all[DUSK_OFF_CPU], by);
}
