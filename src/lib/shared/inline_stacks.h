/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What consumers with a aggregation get by their ring: stacks that have no id, as the stackmap was full, and the sums
 * that were charged to them. Each stack is kept once, under a number that is used like an id.
 */
#pragma once
#include <dusk/unwind.h>
#include "abi/event.h"

struct inline_stacks;

struct inline_stacks *inline_new(void);
void inline_free(struct inline_stacks *w);

/* The frames of a INLINE_STACK; NULL: there is none of that number. They stay as they are until inline_forget(). */
const u64 *inline_frames(const struct inline_stacks *w, u32 number, u32 *nr);

/* Keep the stack of @e, if it came whole, or is the same as one that did or will. 0 or -ENOMEM. */
int inline_take_stack(struct inline_stacks *w, const struct event_stack *e);

/* Keep the sum of @e, of consumer @consumer, whose stack comes next. 0 or -ENOMEM. */
int inline_take_sum(struct inline_stacks *w, u32 consumer, const struct event_sum *e);

/* Which stack has @cookie, and how did it end? False: none that came whole. */
bool inline_find(const struct inline_stacks *w, u64 cookie, u32 *stack, u32 *outcome);

/* How many cookies it knows. */
size_t inline_nr(const struct inline_stacks *w);

/* Each sum of @consumer: @fn, until it returns anything but 0, which is returned. */
int inline_sums(const struct inline_stacks *w, u32 consumer, int (*fn)(void *ctx, const struct dusk_sum *c), void *ctx);

/* @consumer is gone, and its sums. */
void inline_drop(struct inline_stacks *w, u32 consumer);

/* All frames are freed, and their numbers not used again; sums stay. */
void inline_forget(struct inline_stacks *w);
