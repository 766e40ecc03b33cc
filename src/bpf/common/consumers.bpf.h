/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Deliver to the consumers of a walk, each in the way it chose. */
#pragma once
#include "bpf/common/maps.h"

/*
 * The outcome with which @e answers requests. STACKMAP_FULL: an inline stack, which goes to rings only: its frames are
 * @frames, or it is the stack of cookie @e->same_as.
 */
static INLINE u32 resolved_outcome(const struct event_stack *e, const struct stack *frames)
{
	return frames ? STACKMAP_FULL : e->outcome;
}

/* The row of @key with answer @a. An inline stack is identified by its cookie only. */
static INLINE struct aggregation_key aggregation_row(const struct answer *a, u64 key)
{
	bool is_inline = a->outcome == STACKMAP_FULL;

	return (struct aggregation_key){
		.key = key,
		.cookie = is_inline ? a->cookie : 0,
		.stack = a->stack,
		.outcome = a->outcome,
		.kind = is_inline ? SUM_DUE : SUM_FINAL,
	};
}

/*
 * Deliver @e to @consumers (as defer_take() returns them): its cookie, and stack or outcome; if the stackmap was full,
 * also @frames. Any context, between grace_enter() and grace_leave(). Returns 0.
 */
GLOBAL int deliver_to_consumers(struct task_state *st NONNULL, struct event_stack *e NONNULL, struct stack *frames,
				u32 consumers);

/* Enter the sums of @st after SUM_ORPHANED, with outcome WORK_LOST. Returns 0. */
GLOBAL int deliver_orphans(struct task_state *st NONNULL);

/* Do the callbacks of our own tool that are pending in @st. Any context. Returns 0. */
GLOBAL int run_pending(struct task_state *st NONNULL);

/*
 * Add @what, except its key, to row @key of the aggregation map of the consumer at @slot. If the map is full or the
 * stack is inline, send it to the consumer's ring, if the consumer has requested that; else count it. Returns 0.
 */
GLOBAL int add_sum(u32 slot, struct aggregation_key *key NONNULL, struct task_sum *what NONNULL);

/* Store @e in the map "named", and send it to all consumers with DELIVER_MODULES. */
CORE void deliver_module(struct event_module *e);
