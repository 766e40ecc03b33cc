/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Lists of the children (called functions) of each node of a profile. */
#pragma once
#include <dusk/dusk.h>

struct children {
	uint32_t *first, *next; /* by node; 0: none. The outermost nodes are the children of 0 */
};

/* Build the lists for @p. Free *@ret with children_done(). Returns 0 or -ENOMEM. */
int children_init(struct children *ret, const struct dusk_profile *p);
void children_done(struct children *c);
