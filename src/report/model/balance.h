/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Is all that was taken in a profile, or named as lost? */
#pragma once
#include <dusk/dusk.h>

/*
 * Of samples, or of off-CPU intervals: taken + added = stored + lost + missing. Less than 0 is missing where something is
 * stored twice. While a recording goes on, what is on its way is missing.
 */
struct balance {
	uint64_t taken, stored, lost;
	int64_t added; /* what sampled intervals stand for, less those that were sampled out for it: 0 on average */
	int64_t missing;
};

/* What the counters of @p say. Returns false if they say nothing of @source (DUSK_CPU or DUSK_OFF_CPU), as in those of other profilers. */
bool balance_of(struct balance *ret, const struct dusk_profile *p, enum dusk_source source);

/* What the counters of the windows from @from_ns up to @to_ns say, since the beginning of the recording. */
void balance_between(struct balance *ret, const struct dusk_profile *p, enum dusk_source source, uint64_t from_ns,
		     uint64_t to_ns);
