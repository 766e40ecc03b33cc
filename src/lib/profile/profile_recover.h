/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What becomes of a recording whose recorder was killed? */
#pragma once
#include "lib/profile/profile_place.h"

/*
 * place_take() for a new recording. One that was killed at @path becomes a profile first, as by dusk_profile_recover().
 * @p is PLACE_NONE, and is to be freed in any case.
 */
int profile_take_fresh(struct place *p, const char *path, uid_t uid, gid_t gid, struct dusk_error *err);
