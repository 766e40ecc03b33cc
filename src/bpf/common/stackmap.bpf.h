/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The stackmap: every distinct stack once, for all tools. */
#pragma once
#include "bpf/common/maps.h"

/* The id of @s, as stacktable_put() has it. -ENOENT: there is no table. Any context. */
GLOBAL int stackmap_put(struct stack *s NONNULL, u32 *ret NONNULL);

/* stackmap.bpf.c: the lower half of @again to the references of the stack that the upper half names. */
GLOBAL int stackmap_refer(u64 again);

/*
 * @n more events have the stack @id, which is known without asking: the stackmap's references are events. Any context.
 */
static INLINE void stackmap_again(u32 id, u32 n)
{
	u32 row = bpf_get_smp_processor_id() & (AGAIN_ROWS - 1);
	u64 again = id && n ? again_count(&at(registry.again, row), id, n) : 0;

	if (again)
		stackmap_refer(again);
}

/*
 * Is @id of the table that is filled now? Whoever remembers ids gives them out only then: tools that came since know no
 * others.
 */
static INLINE bool stackmap_is_now(u32 id)
{
	return stack_is_of(stack_bits, load_relaxed(&registry.epochs.now), id);
}
