/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Per-CPU buffers for kernel stacks, for our programs and for other tools. */
#include "bpf/unwind/scratch.bpf.h"
#include "bpf/common/stackmap.bpf.h"
#include <dusk/dusk.bpf.h>

/* The number of buffers that this CPU's contexts hold. Each context returns its own before it ends, so they nest. */
static INLINE u32 *level(void)
{
	u32 zero = 0;

	return bpf_map_lookup_elem(&scratch_level, &zero);
}

CORE struct stack *scratch_get(void)
{
	u32 *taken = level(), i;
	struct stack *s;

	if (!taken)
		return NULL;
	i = *taken;
	s = bpf_map_lookup_elem(&scratch, &i);
	if (s)
		*taken = i + 1;
	return s;
}

CORE void scratch_put(void)
{
	u32 *taken = level();

	if (taken && *taken)
		(*taken)--;
}

CORE struct dusk_frames *dusk_frames_get(void)
{
	struct stack *s = scratch_get();

	return s ? (struct dusk_frames *)s->frame : NULL;
}

CORE void dusk_frames_put(void)
{
	scratch_put();
}

CORE u32 dusk_stack_id(u32 nr)
{
	u32 *taken = level(), i, id = 0;
	struct stack *s;

	if (!taken || !*taken || nr > DUSK_KERNEL_FRAMES)
		return 0;
	i = *taken - 1;
	s = bpf_map_lookup_elem(&scratch, &i);
	if (!s)
		return 0;
	s->nr = nr;
	if (stackmap_put(s, &id))
		count_total(COUNT_STACKS_INLINE, 1);
	return id;
}
