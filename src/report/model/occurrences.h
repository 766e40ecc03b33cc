/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Present the occurrences of one tracefs event as samples, so that views can show them.
 *
 * Each occurrence counts as 1, or as much as a field of it says, and has no time.
 */
#pragma once
#include <dusk/dusk.h>
#include "report/model/filter.h"

/* Return the index of the event @name, or -ENOENT. */
int64_t occurrences_find(const struct dusk_profile *p, const char *name);

/* Return the index of the only event that has occurred; -ENOENT if none has, -E2BIG if several have. */
int64_t occurrences_only(const struct dusk_profile *p);

#define OCCURRENCE_MAX (1ULL << 40) /* what one can weigh: 1 TiB */

/* What became of occurrences that are weighed. */
struct occurrences_weighed {
	uint64_t nr,
		left_out; /* left_out: these have no number in the field, a negative one, or one beyond OCCURRENCE_MAX */
	const char *fields; /* of one of these */
};

/*
 * Make *@ret a profile with @event of @p as its only event, and the occurrences of @event as its only samples. With @weight, the
 * name of a field, they count as much as it says, and the event is called "NAME by FIELD"; *@weighed says of how many that is so.
 * *@ret must not outlive @p. Free it with filtered_done() in any case. Returns 0 or -ENOMEM.
 */
int occurrences_init(struct filtered *ret, const struct dusk_profile *p, uint32_t event, const char *weight,
		     struct occurrences_weighed *weighed);
