/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What consumers with a ledger get by their ring: stacks that have no id, as the stackmap was full, and the sums that
 * were charged to them. Each stack is kept once, under a number that is used like an id.
 */
#pragma once
#include <dusk/unwind.h>
#include "abi/event.h"

struct whole;

struct whole *whole_new(void);
void whole_free(struct whole *w);

/* The frames of a WHOLE_STACK; NULL: there is none of that number. They stay as they are until whole_forget(). */
const u64 *whole_frames(const struct whole *w, u32 number, u32 *nr);

/* Keep the stack of @e, if it came whole, or is the same as one that did or will. 0 or -ENOMEM. */
int whole_take_stack(struct whole *w, const struct event_stack *e);

/* Keep the sum of @e, of consumer @consumer, whose stack comes next. 0 or -ENOMEM. */
int whole_take_charge(struct whole *w, u32 consumer, const struct event_charge *e);

/* Which stack has @cookie, and how did it end? False: none that came whole. */
bool whole_find(const struct whole *w, u64 cookie, u32 *stack, u32 *outcome);

/* How many cookies it knows. */
size_t whole_nr(const struct whole *w);

/* Each sum of @consumer: @fn, until it returns anything but 0, which is returned. */
int whole_charges(const struct whole *w, u32 consumer, int (*fn)(void *ctx, const struct dusk_charge *c), void *ctx);

/* @consumer is gone, and its sums. */
void whole_drop(struct whole *w, u32 consumer);

/* All frames are freed, and their numbers not used again; sums stay. */
void whole_forget(struct whole *w);
