/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which modules have code without names, and how much of what was recorded does that concern? */
#pragma once
#include <stdio.h>
#include <dusk/dusk.h>
#include "report/model/time_base.h"

struct missing_symbols {
	uint32_t module;
	uint64_t weight; /* of what has such code of the module anywhere in its stack: ticks, or nanoseconds */
};

/*
 * Modules with code that has no name, the heaviest first, to *@ret, to be freed with free(). Only ticks of the CPU's
 * timer are counted; for any other @kind it is time. 0 or -ENOMEM.
 */
int missing_symbols_find(struct missing_symbols **ret, size_t *nr, const struct dusk_profile *p, enum time_base kind);

/* The same below a view, with what would help: nothing if all have names. */
void missing_symbols_show(FILE *out, const struct dusk_profile *p, enum time_base kind);
