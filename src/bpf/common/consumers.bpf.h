/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Serving the consumers of a walk, each in the way it chose. */
#pragma once
#include "bpf/common/maps.h"

/*
 * How requests are answered by @e. STACKMAP_FULL: the stack travels whole, and to rings only; @frames are its, or it
 * is that of @e->same_as.
 */
static INLINE u32 resolved_outcome(const struct event_stack *e, const struct stack *frames)
{
	return frames ? STACKMAP_FULL : e->outcome;
}

/* The row of a consumer's @key. Of a stack that travels whole only the cookie tells which one it is. */
static INLINE struct aggregation_key aggregation_row(const struct answer *a, u64 key)
{
	bool whole = a->outcome == STACKMAP_FULL;

	return (struct aggregation_key){
		.key = key,
		.cookie = whole ? a->cookie : 0,
		.stack = a->stack,
		.outcome = a->outcome,
		.kind = whole ? SUM_DUE : SUM_FINAL,
	};
}

/*
 * Serve @consumers (as defer_take() has it) with @e: its cookie, and stack or outcome; if the stackmap was full, with
 * @frames. Any context, between grace_enter() and grace_leave(). Returns 0.
 */
GLOBAL int deliver_to_consumers(struct task_state *st NONNULL, struct event_stack *e NONNULL, struct stack *frames,
				u32 consumers);

/* Enter the sums of SUM_ORPHANED: work that was lost. Returns 0. */
GLOBAL int serve_orphans(struct task_state *st NONNULL);

/* Call back those of our own consumers that are pending_answer it. Any context. Returns 0. */
GLOBAL int run_pending(struct task_state *st NONNULL);

/*
 * Enter @what, but for its key, in the row @key of the aggregation of the consumer at @slot; if that is full or the
 * stack travels whole, in its ring, if it wants that. Returns 0.
 */
GLOBAL int add_sum(u32 slot, struct aggregation_key *key NONNULL, struct task_sum *what NONNULL);

/* Is @e to be sent to whoever wants to hear of modules. */
CORE void deliver_module(struct event_module *e);
