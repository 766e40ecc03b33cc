/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sum up samples by node of the stack tree: each node's self and total.
 *
 * Samples are added up by node first, and then nodes into their parents, so that the cost of a view grows with the
 * number of distinct stacks, not of samples.
 */
#pragma once
#include "report/model/group.h"

/* The sum of some samples. */
struct amount {
	uint64_t count;		  /* ticks, off-CPU intervals or occurrences */
	uint64_t ns, runnable_ns; /* the time they stand for; of off-CPU intervals, the part spent runnable */
	uint64_t longest_ns;	  /* the longest one; a sum of off-CPU intervals counts as their average */
};

/* What a stack's weight is. */
enum measure { BY_COUNT, BY_TIME, BY_RUNNABLE };

static inline uint64_t amount_by(const struct amount *a, enum measure by)
{
	return by == BY_TIME ? a->ns : by == BY_RUNNABLE ? a->runnable_ns : a->count;
}

/* The sums of one group of tasks. Valid only during the call of aggregate()'s function. */
struct weight {
	uint32_t group;
	struct amount of_group;
	const struct amount *all; /* of all groups, by source; occurrences as ticks */
	uint32_t nr;
	const uint32_t *place;		   /* the @nr places with weight: children before parents, without place 0 */
	const struct amount *self, *total; /* by place; 0 for places not in @place */
};

typedef int (*aggregate_fn)(void *ctx, const struct weight *w);

/* Call @fn for each group that has samples, until it returns nonzero. Returns 0, that value, or -ENOMEM. */
int aggregate(const struct dusk_profile *p, const struct groups *g, aggregate_fn fn, void *ctx);

struct amount amount_of(const struct dusk_sample *s);
void amount_add(struct amount *to, const struct amount *a);

static inline uint64_t average_ns(const struct amount *a)
{
	return a->count ? a->ns / a->count : 0;
}

/* The sum of both sources. It means nothing as a count unless one of them is 0. */
static inline uint64_t amount_of_all(const struct amount all[2], enum measure by)
{
	return amount_by(&all[DUSK_CPU], by) + amount_by(&all[DUSK_OFF_CPU], by);
}
