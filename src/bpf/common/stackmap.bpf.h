/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The stackmap: each distinct stack once, for all tools. */
#pragma once
#include "bpf/common/maps.h"

/* Find or make the id of @s, as stacktable_put(). -ENOENT: there is no table. Any context. */
GLOBAL int stackmap_put(struct stack *s NONNULL, u32 *ret NONNULL);

/*
 * Count @n more references to stack @id, by events that did not pass their stack to stackmap_put(): a stack's
 * references are the events that have it. Any context.
 */
GLOBAL int stackmap_again(u32 id, u32 n);

/*
 * Is @id from the table of the current epoch? Caches give out their ids only if so: tools that have started since know
 * no other tables.
 */
static INLINE bool stackmap_is_now(u32 id)
{
	return stack_is_of(stack_bits, load_relaxed(&registry.epochs.now), id);
}
