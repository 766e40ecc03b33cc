/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Keep what consumers with an aggregation get through their ring: stacks that have no id because the stackmap was full,
 * and the sums that belong to them. Each stack is kept once, under a number that is used like an id.
 */
#pragma once
#include <dusk/unwind.h>
#include "abi/event.h"
#include "lib/unwinder/stitch.h"

struct inline_stacks;

struct inline_stacks *inline_new(void);
void inline_free(struct inline_stacks *s);

/* Return the frames of an INLINE_STACK; NULL if no stack has that number. They stay valid until inline_forget(). */
const u64 *inline_frames(const struct inline_stacks *s, u32 number, u32 *nr);

/*
 * Keep the stack of @e, if all of its frames are in the event, or if it is the same as such a stack that has come or is
 * still to come. Returns 0 or -ENOMEM.
 */
int inline_take_stack(struct inline_stacks *s, const struct event_stack *e);

/* Keep the sum in @e, of consumer @consumer; its stack comes in a later event. Returns 0 or -ENOMEM. */
int inline_take_sum(struct inline_stacks *s, u32 consumer, const struct event_sum *e);

/* Find the stack of @cookie and its outcome. Returns false if no complete event for it has come. */
bool inline_find(const struct inline_stacks *s, u64 cookie, struct resolved *ret);

/* Return the number of cookies that are kept. */
size_t inline_nr(const struct inline_stacks *s);

/* Call @fn for each sum of @consumer, until it returns anything but 0, which is returned. */
int inline_sums(const struct inline_stacks *s, u32 consumer, int (*fn)(void *ctx, const struct dusk_sum *c), void *ctx);

/* Drop the sums of @consumer, which is gone. */
void inline_drop(struct inline_stacks *s, u32 consumer);

/* Free all frames. Their numbers are not used again; sums stay. */
void inline_forget(struct inline_stacks *s);
