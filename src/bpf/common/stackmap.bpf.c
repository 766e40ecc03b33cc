/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Put stacks into the table of the current epoch, and count references to them. */
#include "bpf/common/stackmap.bpf.h"

GLOBAL int stackmap_put(struct stack *s NONNULL, u32 *ret NONNULL)
{
	u32 cpu = bpf_get_smp_processor_id(), phase, zero = 0;
	u32 place = epochs_enter(&registry.epochs, &registry.grace, cpu, &phase);
	void *map = bpf_map_lookup_elem(&stacks, &place);
	struct stacktable *t = map ? bpf_map_lookup_elem(map, &zero) : NULL;
	int err = t ? stacktable_put(t, s, cpu, ret) : -ENOENT;

	grace_leave(&registry.grace, cpu, phase);
	return err;
}

/*
 * Add the lower 32 bits of @again to the references of the stack with the id in the upper 32 bits. Its table may be that
 * of the previous epoch, which exists until no reader uses it any more.
 */
static INLINE void refer(u64 again)
{
	u32 place = epoch_place(again >> 32 >> (stack_bits + STACK_WORD_BITS)), zero = 0;
	void *map = bpf_map_lookup_elem(&stacks, &place);
	struct stacktable *t = map ? bpf_map_lookup_elem(map, &zero) : NULL;

	if (t)
		stacktable_refer(t, again >> 32, again);
}

GLOBAL int stackmap_again(u32 id, u32 n)
{
	u32 row = bpf_get_smp_processor_id() & (AGAIN_ROWS - 1);
	u64 again = id && n ? again_count(&at(registry.again, row), id, n) : 0;

	if (again)
		refer(again);
	return 0;
}
