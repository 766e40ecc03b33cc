/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The stackmap: every distinct stack once, for all tools. */
#pragma once
#include "maps.h"

/* The id of @s, as stacktable_put() has it. -ENOENT: there is no table. Any context. */
GLOBAL int stackmap_put(struct stack *s NONNULL, u32 *ret NONNULL);

/* @n more events have the stack @id, which is known without asking: refs of the stackmap are events. Any context. */
GLOBAL int stackmap_again(u32 id, u32 n);

/*
 * Is @id of the table that is filled now? Whoever remembers ids gives them out only then: tools that came since know no
 * others.
 */
static INLINE bool stackmap_is_now(u32 id)
{
	return stack_is_of(stack_bits, load_relaxed(&registry.epochs.now), id);
}
