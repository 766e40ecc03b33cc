/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Look up functions at the end of a recording, by what was noted meanwhile of code that comes and goes. */
#pragma once
#include <dusk/dusk.h>
#include "lib/process/jits.h"
#include "lib/process/kernel_code.h"
#include "lib/profile/write/eras.h"

struct recorded {
	struct jits *jits;
	struct kernel_code *kernel;
	struct eras eras; /* filled by the look-up: what is to be split by eras_split() */
};

/* As dusk_profile_symbolize(), with @r. */
int recorded_symbolize(struct dusk_profile *p, struct recorded *r, const struct dusk_symbol_options *opts,
		       struct dusk_error *err);
