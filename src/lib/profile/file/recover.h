/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Make a profile of a recording after its recorder was killed. */
#pragma once
#include "lib/profile/file/place.h"

/*
 * Take the place at @path for a new recording, as place_take(). A recording that was killed there becomes a profile
 * first, as by dusk_profile_recover(). Initialize @p with PLACE_NONE, and free it also on failure.
 */
int profile_take_fresh(struct place *p, const char *path, uid_t uid, gid_t gid, struct dusk_error *err);
