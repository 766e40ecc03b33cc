/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which programs have stacks that end in JIT code without frame pointers, and what would help? */
#pragma once
#include <stdio.h>
#include <dusk/dusk.h>
#include "report/model/time_base.h"

struct missing_fp {
	const char *program; /* the name of the process's first thread, if it was met */
	const char *remedy;
	uint64_t weight; /* of stacks that end so: ticks, or nanoseconds */
};

/*
 * Such programs, the heaviest first, to *@ret, to be freed with free(); the strings live as long as @p. Only ticks of
 * the CPU's timer are counted; for any other @kind it is time. 0 or -ENOMEM.
 */
int missing_fp_find(struct missing_fp **ret, size_t *nr, const struct dusk_profile *p, enum time_base kind);

/* The same below a view, each line behind @mark, "#" or "": nothing if there are none. */
void missing_fp_show(FILE *out, const struct dusk_profile *p, enum time_base kind, const char *mark);
