/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Compare the weights of functions or stacks in two profiles.
 *
 * Two recordings rarely have the same length, so a weight is a share of the samples, in percent; or, absolute, CPU
 * time in seconds. Both are counts of samples, which vary by chance: diff_chance() returns how often they would differ
 * by at least as much if nothing had changed. In that case the samples of a row fall on both sides in proportion to all
 * samples (shares: Fisher's exact test) or to what a sample stands for (times: the binomial test). If at least five are
 * expected on each side, the normal distribution is used (shares: the z-test of two proportions, pooled).
 *
 * The time of off-CPU intervals is measured in full, not sampled, so BY_TIME differences are not due to chance.
 */
#pragma once
#include <dusk/dusk.h>
#include "base/strings.h"
#include "base/vec.h"
#include "report/model/aggregate.h"

enum { BEFORE, AFTER };

struct diff_options {
	bool stacks;	 /* compare stacks, not functions */
	bool total;	 /* functions: count them also where they are not the innermost frame */
	bool absolute;	 /* in seconds, not percent */
	enum measure by; /* count, or time */
	const char *program
		[2]; /* these modules are the same program, under another name; or NULL. The latter name is shown */
};

struct diff_row {
	uint32_t key;	   /* functions: a number of diff.names; stacks: an index of diff.paths */
	uint64_t count[2]; /* samples; or nanoseconds */
};

struct diff_path {
	uint32_t parent, name; /* parent: the caller's path; 0: this is the outermost frame */
};

struct diff {
	struct diff_options options;
	struct strings names; /* the bytes: function, 0, module */
	struct vec(struct diff_path) paths;
	struct diff_row *rows; /* the largest change first */
	size_t nr;
	uint64_t samples[2];	      /* selected samples; or their nanoseconds */
	double sample_s[2];	      /* seconds that one of these units stands for */
	struct amount selected[2][2]; /* what was selected, by side and by source */
};

/* Compare @before and @after. Free *@ret with diff_free(). Returns 0 or -ENOMEM. */
int diff_new(struct diff **ret, const struct dusk_profile *before, const struct dusk_profile *after,
	     const struct diff_options *o);
void diff_free(struct diff *d);

static inline void diff_freep(struct diff **d)
{
	diff_free(*d);
}

/* Weights in percent or seconds. @side: BEFORE or AFTER. */
double diff_weight(const struct diff *d, const struct diff_row *r, int side);
double diff_delta(const struct diff *d, const struct diff_row *r);
double diff_chance(const struct diff *d, const struct diff_row *r); /* 0 .. 1; by time: 1 */

/* "***", "**", "*" or "": @chance is less than 0.1, 1, 5 %. */
const char *diff_mark(double chance);
