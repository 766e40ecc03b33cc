/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Settings of a profile that are numbers. */
#pragma once
#include <dusk/dusk.h>
#include <stdlib.h>

/* The setting @key of @p; 0: there is none. */
static inline uint64_t setting_u64(const struct dusk_profile *p, const char *key)
{
	const char *text = dusk_profile_setting(p, key);

	return text ? strtoull(text, NULL, 10) : 0;
}
