/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Count the samples of a profile by how complete their stacks are.
 *
 * The percentage "complete" is of the samples that have a user stack or should have one. Samples of kernel threads,
 * which never have one, do not count. If no sample counts, the percentage is 100.
 */
#pragma once
#include <dusk/dusk.h>

struct completeness {
	uint64_t samples, complete, cut, no_stack, absent; /* ticks, off-CPU intervals or occurrences */
	uint64_t unsure;				   /* of the complete ones: see unsure.h */
	uint64_t ns;					   /* the time they stand for */
	uint64_t stacks;				   /* distinct stacks: nodes that are a sample's innermost */
	uint64_t *outcome;				   /* samples by index of dusk_profile.outcomes */
};

/*
 * Count the samples of @source; DUSK_EVENT: the occurrences of all events. Free *@ret with completeness_done().
 * Returns 0 or -ENOMEM.
 */
int completeness_of(struct completeness *ret, const struct dusk_profile *p, enum dusk_source source);

/* The same for what views show by default: TIME_BASE_USUAL. */
int completeness_init(struct completeness *ret, const struct dusk_profile *p);
void completeness_done(struct completeness *l);

double complete_percent(const struct completeness *l);

/* Write " (N of them unsure)", if any are, to @text (UNSURE_TEXT_BYTES) and return it. */
#define UNSURE_TEXT_BYTES 48
const char *unsure_text(char *text, const struct completeness *l);

/* Return whether this outcome or counter is a loss that is reported if it is not zero. */
bool outcome_is_loss(const struct dusk_outcome *o);
bool counter_is_loss(const struct dusk_counter *c);

/* Format @percent into @text (16 bytes) and return it. It reads 100.00 or 0.00 only if it is exactly that. */
const char *percent_text(char *text, double percent);
