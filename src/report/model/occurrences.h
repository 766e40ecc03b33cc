/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Occurrences of one event of tracefs, as samples: for views, which look at samples.
 *
 * Each counts once, and stands for no time.
 */
#pragma once
#include <dusk/dusk.h>
#include "report/model/filter.h"

/* The event that is called @name: its index; or -ENOENT. */
int64_t occurrences_find(const struct dusk_profile *p, const char *name);

/* The one event that has occurred: its index; or -ENOENT: none has; -E2BIG: several have. */
int64_t occurrences_only(const struct dusk_profile *p);

/*
 * To @ret a profile whose samples are the occurrences of @event of @p, the only one that it knows, instead of those of
 * @p. It cannot outlive @p, and is to be freed with filtered_done() in any case. 0 or -ENOMEM.
 */
int occurrences_init(struct filtered *ret, const struct dusk_profile *p, uint32_t event);
