/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which stacks are the same? A set of stacks while it is made: equal ones become one. */
#pragma once
#include <dusk/stackmap.h>
#include "base/map.h"
#include "base/vec.h"

struct stackset {
	struct vec(struct dusk_stack) stacks;
	struct map by_hash;    /* -> index; or, of a stack with the same hash, the next key that is free */
	struct map merged_ids; /* id of one that was equal to another -> index of that */
	uint64_t merged;
	void *store; /* where their frames lie */
	bool owned;  /* each frames on their own, rather */
};

/* Add @stack; its frames are not copied. 0 or -ENOMEM. */
int stackset_add(struct stackset *s, const struct dusk_stack *stack);

/* Add a stack; its frames are copied if it is new, and freed with the set. *@ret: which one it is. 0 or -ENOMEM. */
int stackset_keep(struct stackset *s, const uint64_t *frame, uint32_t nr, uint32_t *ret);

/* All of it as the result of a function, to *@ret; @s is empty then. 0 or -ENOMEM. */
int stackset_steal(struct dusk_stacks **ret, struct stackset *s);
void stackset_done(struct stackset *s);
