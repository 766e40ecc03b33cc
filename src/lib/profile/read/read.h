/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Functions on a profile in memory that only the library's own files may use. */
#pragma once
#include <dusk/dusk.h>

#include "base/strings.h"

/* Return the set of the profile's strings, which is created if there is none. NULL: memory is short. */
struct strings *profile_strings(struct dusk_profile *p);

/* How far a profile has been read: the last ids in the tables to which a recording appends what it takes. */
struct profile_cursor {
	int64_t sample, window, offcpu, window_count;
};

/*
 * Like dusk_profile_read(), but of these tables only the rows behind @from, up to and with @to; *@reached is the last of
 * them. What rows refer to is complete. Wakers are those of the off-CPU intervals that are there.
 */
int profile_read_rows(struct dusk_profile **ret, const char *path, const struct profile_cursor *from,
		      const struct profile_cursor *to, struct profile_cursor *reached, struct dusk_error *err);

/* Like dusk_profile_read(), for the recording in @folder (lib/profile/file/place.h) that will become @path. */
int profile_read_at(struct dusk_profile **ret, int folder, const char *path, struct dusk_error *err);
