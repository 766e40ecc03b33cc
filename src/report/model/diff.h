/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which functions, or stacks, weigh more or less after a change than before?
 *
 * Two recordings are rarely of one length, so that a weight is a share of the samples, in percent; or, absolute, CPU
 * time in seconds. Both are counts of samples, and counts vary by chance: diff_chance() tells how often they would be
 * at least as far apart if nothing had changed. If so, the samples of a row fall on both sides in proportion to all
 * samples (shares: Fisher's exact test) or to what a sample stands for (times: the binomial test); where five or more
 * are to be expected on each side, by the normal distribution (shares: the z-test of two proportions, pooled).
 *
 * By time, which is what off-CPU intervals weigh, nothing was sampled: it is all there, and chance has no part in
 * it.
 */
#pragma once
#include <dusk/dusk.h>
#include "base/strings.h"
#include "base/vec.h"
#include "report/model/aggregate.h"

enum { BEFORE, AFTER };

struct diff_options {
	const struct selection *selection; /* of both */
	bool stacks;			   /* else by function */
	bool total;			   /* functions: also where it is not the innermost frame */
	bool absolute;			   /* seconds, not percent */
	enum measure by;		   /* count, or time */
};

struct diff_row {
	uint32_t key;	   /* of functions: a number of names; of stacks: a path */
	uint64_t count[2]; /* samples; or nanoseconds */
};

struct diff_path {
	uint32_t parent, name; /* of the caller; 0: it is the outermost frame */
};

struct diff {
	struct diff_options options;
	struct strings names; /* the bytes: function, 0, module */
	struct vec(struct diff_path) paths;
	struct diff_row *rows; /* the largest change first */
	size_t nr;
	uint64_t samples[2];	      /* that were selected; or nanoseconds of them */
	double sample_s[2];	      /* seconds that one of these stands for */
	struct amount selected[2][2]; /* what was selected, by side and by source */
};

/* *@ret is to be freed with diff_free(). 0 or -ENOMEM. */
int diff_new(struct diff **ret, const struct dusk_profile *before, const struct dusk_profile *after,
	     const struct diff_options *o);
void diff_free(struct diff *d);

static inline void diff_freep(struct diff **d)
{
	diff_free(*d);
}

/* Percent or seconds; of the side BEFORE or AFTER. */
double diff_weight(const struct diff *d, const struct diff_row *r, int side);
double diff_delta(const struct diff *d, const struct diff_row *r);
double diff_chance(const struct diff *d, const struct diff_row *r); /* 0 .. 1; by time: 1 */

/* "***", "**", "*" or "": @chance is less than 0.1, 1, 5 %. */
const char *diff_mark(double chance);
