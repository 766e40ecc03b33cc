/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the library's own files may do with a profile in memory beyond the public interface. */
#pragma once
#include <dusk/dusk.h>

#include "base/strings.h"

/* Where the profile's strings live, made if there is none yet; NULL when memory is short. */
struct strings *profile_strings(struct dusk_profile *p);

/* dusk_profile_read() of the recording in @folder (profile_place.h), which is to be @path. */
int profile_read_at(struct dusk_profile **ret, int folder, const char *path, struct dusk_error *err);
