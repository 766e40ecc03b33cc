/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A walk of the current task. */
#pragma once
#include "pool.h"
#include "registers.h"

/* The result of a walk. */
struct bpf_dusk_stack {
	u32 nr;	     /* frames */
	u32 outcome; /* enum outcome of abi/outcome.h */
	u64 walk_ns;
};

/*
 * Walk in @w, which the task has claimed, from @from, at most @max_depth frames, and describe the walk in @ret. The
 * frames are in w->walk.
 */
void here_walk(struct walker *w, const struct entry_registers *from, u32 max_depth, struct bpf_dusk_stack *ret);
