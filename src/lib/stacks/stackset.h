/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Build a set of distinct stacks: equal stacks become one. */
#pragma once
#include <dusk/stackmap.h>
#include "base/map.h"
#include "base/vec.h"

struct stackset {
	struct vec(struct dusk_stack) stacks;
	struct map by_hash;    /* -> index; on a collision the next free key is used */
	struct map merged_ids; /* id of a stack that was equal to another -> index of the other */
	uint64_t merged;
	void *store; /* memory that holds the frames */
	bool owned;  /* each stack owns its frames instead */
};

/* Add @stack; its frames are not copied. Returns 0 or -ENOMEM. */
int stackset_add(struct stackset *s, const struct dusk_stack *stack);

/*
 * Add a stack. If it is new, its frames are copied, and freed with the set. *@ret is its index. Returns 0 or -ENOMEM.
 */
int stackset_keep(struct stackset *s, const uint64_t *frame, uint32_t nr, uint32_t *ret);

/* Move the content of @s to a new *@ret; @s is empty afterwards. Returns 0 or -ENOMEM. */
int stackset_steal(struct dusk_stacks **ret, struct stackset *s);
void stackset_done(struct stackset *s);
