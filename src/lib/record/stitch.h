/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Samples that wait for their user stack, by cookie.
 *
 * Sample and stack may come in either order: a stack that came first is remembered for a while. A cookie is never used
 * again, so nothing can be joined wrongly; what was lost leaves samples that wait to the end.
 */
#pragma once
#include <dusk/dusk.h>
#include "abi/types.h"

struct stitch;

/* A sample, or the waker of an off-CPU interval, that knows all but its user stack. */
struct waiting {
	struct dusk_sample sample; /* without node and outcome */
	u64 interval;		   /* its number in the profile, or 0: it need not have one yet */
	u8 waker;	  /* enum waker_kind: this is who ended that off-CPU interval; of sample is but the thread */
	u32 kernel_stack; /* as stacks.h numbers them; 0: none */
	u32 expected;	  /* the node of the user stack as it was told at once, to be verified; 0: none */
	u32 event;	  /* of an occurrence, whose source is DUSK_EVENT: which, */
	char *fields;	  /* and what it says; to be freed with free() when it waits no more. NULL */
};

struct stitch *stitch_new(void);
void stitch_free(struct stitch *s);

/*
 * @w waits for the stack with @cookie. Returns 1 if that has come already: then *@node and *@outcome are its, and @w is
 * not kept. 0: @w waits. -ENOMEM.
 */
int stitch_sample(struct stitch *s, u64 cookie, const struct waiting *w, u32 *node, u8 *outcome);

/* The stack with @cookie is @node: @fn for each sample that waits for it. */
void stitch_stack(struct stitch *s, u64 cookie, u32 node, u8 outcome, void (*fn)(void *ctx, const struct waiting *w),
		  void *ctx);

/*
 * The stack with @cookie is that with @same_as. Returns 1 if that has come: *@node and *@outcome are its, to be told by
 * stitch_stack(). 0: it will serve who waits for either. -ENOMEM.
 */
int stitch_same(struct stitch *s, u64 cookie, u64 same_as, u32 *node, u8 *outcome);

/* How many wait. */
u64 stitch_nr_waiting(const struct stitch *s);

/* The end: @fn for all that still wait; they wait no more. */
void stitch_drain(struct stitch *s, void (*fn)(void *ctx, u64 cookie, const struct waiting *w), void *ctx);
