/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Find modules with unnamed frames, and the weight of the stacks that have them. */
#pragma once
#include <stdio.h>
#include <dusk/dusk.h>
#include "report/model/time_base.h"

struct missing_symbols {
	uint32_t module;
	uint64_t weight; /* of stacks with an unnamed frame of the module: a count, or nanoseconds */
};

/*
 * Find modules with unnamed frames, the heaviest first. Weights are counts if kind_counts(@kind), else
 * nanoseconds. Free *@ret with free(). Returns 0 or -ENOMEM.
 */
int missing_symbols_find(struct missing_symbols **ret, size_t *nr, const struct dusk_profile *p, enum time_base kind);

/* Print them below a view, with what would help; nothing if all frames have names. */
void missing_symbols_show(FILE *out, const struct dusk_profile *p, enum time_base kind);
