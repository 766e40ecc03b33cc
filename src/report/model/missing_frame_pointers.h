/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Find programs with stacks that end in JIT code without frame pointers, and say what would help. */
#pragma once
#include <stdio.h>
#include <dusk/dusk.h>
#include "report/model/time_base.h"

struct missing_fp {
	const char *program; /* the name of the process's main thread, or of the sampled one if the profile lacks it */
	const char *remedy;
	uint64_t weight; /* of such stacks: a count, or nanoseconds */
};

/*
 * Find such programs, the heaviest first. Weights are counts if kind_counts(@kind), else nanoseconds. Free *@ret
 * with free(); its strings live as long as @p. Returns 0 or -ENOMEM.
 */
int missing_fp_find(struct missing_fp **ret, size_t *nr, const struct dusk_profile *p, enum time_base kind);

/* Print them below a view, each line behind @mark ("#" or ""); nothing if there are none. */
void missing_fp_show(FILE *out, const struct dusk_profile *p, enum time_base kind, const char *mark);
