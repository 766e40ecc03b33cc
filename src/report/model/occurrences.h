/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Present the occurrences of one tracefs event as samples, so that views can show them.
 *
 * Each occurrence counts as 1 and has no time.
 */
#pragma once
#include <dusk/dusk.h>
#include "report/model/filter.h"

/* Return the index of the event @name, or -ENOENT. */
int64_t occurrences_find(const struct dusk_profile *p, const char *name);

/* Return the index of the only event that has occurred; -ENOENT if none has, -E2BIG if several have. */
int64_t occurrences_only(const struct dusk_profile *p);

/*
 * Make *@ret a profile with @event of @p as its only event, and the occurrences of @event as its only samples. It must
 * not outlive @p. Free it with filtered_done() in any case. Returns 0 or -ENOMEM.
 */
int occurrences_init(struct filtered *ret, const struct dusk_profile *p, uint32_t event);
