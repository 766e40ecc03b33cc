/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Functions on a profile in memory that only the library's own files may use. */
#pragma once
#include <dusk/dusk.h>

#include "base/strings.h"

/* Return the set of the profile's strings, which is created if there is none. NULL: memory is short. */
struct strings *profile_strings(struct dusk_profile *p);

/* Like dusk_profile_read(), for the recording in @folder (profile_place.h) that will become @path. */
int profile_read_at(struct dusk_profile **ret, int folder, const char *path, struct dusk_error *err);
