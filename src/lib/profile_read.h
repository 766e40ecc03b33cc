/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the library's own files may do with a profile in memory beyond the public interface. */
#pragma once
#include <dusk/dusk.h>

#include "base/strings.h"

/* Where the profile's strings live, made if there is none yet; NULL when memory is short. */
struct strings *profile_strings(struct dusk_profile *p);
