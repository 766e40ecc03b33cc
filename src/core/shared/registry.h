/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The registry: what all tools that share the unwinder agree on. */
#pragma once
#include "abi/consumer.h"
#include "core/shared/references.h"
#include "core/shared/epochs.h"

struct registry {
	struct grace grace;	/* for callers that act for a consumer */
	u32 max_depth;		/* frames; the largest that any tool wants */
	u32 no_faults;		/* a tool wants no page to be faulted in */
	u32 no_languages;	/* a tool wants native frames only */
	u32 nr_excluded;	/* processes in the map "excluded" */
	u32 now_s;		/* the clock of the maintenance, set about once a second */
	u32 identity;		/* of the stackmap: random, and never 0 */
	u32 cpu_bits;		/* of the number of a CPU in a cookie: all tools make cookies alike */
	u32 evictions, evicted; /* from the table of modules: how often, and how many modules */
	u64 code_seed;		/* random: which number content gets cannot be foreseen */
	u32 code_generation;	/* of the numbers that code gets now (core/lang/code.h) */
	u32 code_turned_s;	/* by @now_s, when it last changed */
	u32 code_swept;		/* the generation in which old code was last removed, */
	u32 codes_gone;		/* and how much of it in all */
	u64 row_wanted;		/* a frame: a no-fault walk could not read its row (core/walk/prefetch.c) */
	struct epochs epochs;	/* of the stackmap */
	struct consumer consumer[MAX_CONSUMERS];
	struct again_row again[AGAIN_ROWS]; /* references to stacks, by CPU */
};

/* Is the consumer of @handle (0: none) still there? Between grace_enter() and grace_leave(). */
static INLINE bool registry_has(const struct registry *r, u32 handle)
{
	return handle &&
	       load_acquire(&at(r->consumer, consumer_slot(handle)).generation) == consumer_generation(handle);
}
