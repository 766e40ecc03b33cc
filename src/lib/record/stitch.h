/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Samples that wait for their user stack, by cookie.
 *
 * Sample and stack may come in either order: a stack that comes first is remembered for a while. A cookie is never used
 * again, so no join can be wrong; if a stack is lost, its samples wait to the end.
 */
#pragma once
#include <dusk/dusk.h>
#include "abi/types.h"

struct stitch;

/* A sample, or the waker of an off-CPU interval, complete but for its user stack. */
struct waiting {
	struct dusk_sample sample; /* without node and outcome */
	u64 interval;		   /* its number in the profile; 0: none has been assigned, and none is needed yet */
	u8 waker;		   /* enum waker_kind, if this is a waker; then only the thread of @sample is used */
	u32 kernel_stack;	   /* as stacks.h numbers them; 0: none */
	u32 expected;		   /* the node of the immediate user stack, to be verified; 0: none */
	u32 event;		   /* the number of the event, if the source is DUSK_EVENT */
	char *fields;		   /* its fields as text, or NULL; to be freed with free() when it stops waiting */
};

struct stitch *stitch_new(void);
void stitch_free(struct stitch *s);

/*
 * Let @w wait for the stack with @cookie. Returns 1 if that has come already: then *@node and *@outcome are filled, and
 * @w is not kept; 0: @w waits; -ENOMEM.
 */
int stitch_sample(struct stitch *s, u64 cookie, const struct waiting *w, u32 *node, u8 *outcome);

/* The stack with @cookie is @node: call @fn for each sample that waits for it. */
void stitch_stack(struct stitch *s, u64 cookie, u32 node, u8 outcome, void (*fn)(void *ctx, const struct waiting *w),
		  void *ctx);

/*
 * The stack with @cookie is that with @same_as. Returns 1 if that has come: *@node and *@outcome are filled, and the
 * caller passes them to stitch_stack(); 0: when it comes, it completes the samples of both cookies; -ENOMEM.
 */
int stitch_same(struct stitch *s, u64 cookie, u64 same_as, u32 *node, u8 *outcome);

/* Return how many samples wait. */
u64 stitch_nr_waiting(const struct stitch *s);

/* End: call @fn for all samples that still wait; after this none does. */
void stitch_drain(struct stitch *s, void (*fn)(void *ctx, u64 cookie, const struct waiting *w), void *ctx);
