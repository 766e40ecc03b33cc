/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which modules have code without names, and how many samples does that concern? */
#pragma once
#include <stdio.h>
#include <dusk/dusk.h>

struct nameless {
	uint32_t module;
	uint64_t samples;	/* with such code of the module anywhere in their stack */
};

/* Modules with code that has no name, most samples first, to *@ret, to be freed with free(). 0 or -ENOMEM. */
int nameless_find(struct nameless **ret, size_t *nr, const struct dusk_profile *p);

/* The same below a view, with what would help: nothing if all have names. */
void nameless_show(FILE *out, const struct dusk_profile *p);
