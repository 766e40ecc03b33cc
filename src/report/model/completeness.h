/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How much of what was recorded has its stack, and what was lost?
 *
 * The percentage "complete" is of the samples that have a user stack or should have one: those of kernel threads, which
 * never had any, do not count. Without such samples nothing is missing: 100 %.
 */
#pragma once
#include <dusk/dusk.h>

struct completeness {
	uint64_t samples, complete, cut, no_stack, absent; /* ticks, or off-CPU intervals */
	uint64_t ns;					   /* what they stand for */
	uint64_t stacks;				   /* distinct: nodes at which a sample stands */
	uint64_t *outcome;				   /* of them, by index of dusk_profile.outcomes */
};

/*
 * Of the ticks, of the off-CPU intervals, or of all occurrences of events. *@ret is to be freed with
 * completeness_done(). 0 or -ENOMEM.
 */
int completeness_of(struct completeness *ret, const struct dusk_profile *p, enum dusk_source source);

/* Of those that views show unless they are told: ticks; of a profile without ticks, off-CPU intervals. */
int completeness_init(struct completeness *ret, const struct dusk_profile *p);
void completeness_done(struct completeness *l);

double complete_percent(const struct completeness *l);

/* Is this outcome or counter one to tell the user about when it is not zero? */
bool outcome_is_loss(const struct dusk_outcome *o);
bool counter_is_loss(const struct dusk_counter *c);

/* A percentage that says 100 only of all, and 0 only of none: rounded away from both. @text holds 16 bytes. */
const char *percent_text(char *text, double percent);
