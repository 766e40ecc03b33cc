/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Read several profiles on all CPUs, but have only a few in memory at a time.
 *
 * They are handed out in the order of their paths, whichever was read first.
 */
#pragma once
#include <dusk/dusk.h>

struct read_ahead;

/* Begin to read the @nr profiles at @paths, which stay the caller's, and in place. Returns 0 or -ENOMEM. */
int read_ahead_new(struct read_ahead **ret, const char *const *paths, size_t nr);

/*
 * Wait for the next profile; there must be one. Free *@ret with dusk_profile_free().
 * Returns as dusk_profile_read().
 */
int read_ahead_next(struct read_ahead *r, struct dusk_profile **ret, struct dusk_error *err);

/* Stop reading, and free all but what was handed out. */
void read_ahead_free(struct read_ahead *r);

static inline void read_ahead_freep(struct read_ahead **r)
{
	read_ahead_free(*r);
}
