/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which samples wait for the same user stack, where a format tells it once for all of them?
 *
 * A profile has joined them with their stacks, and does not keep by which cookies. So these are made up: those of a
 * thread that come one after the other and have the same user stack wait for it together.
 */
#pragma once
#include <dusk/dusk.h>

struct deferred {
	uint64_t cookie; /* of no other stack of the profile; 0: there is no user stack */
	bool last;	 /* of those with this cookie: the stack follows */
	bool hurried;	 /* ... and has no moment of its own: the thread's next sample has the same time */
};

/* One for each sample, to be freed with free(). 0 or -ENOMEM. */
int deferred_new(struct deferred **ret, const struct dusk_profile *p);

/* Is @node a frame of the kernel? */
bool deferred_in_kernel(const struct dusk_profile *p, uint32_t node);

/* The innermost node of the user stack that @node stands on, or 0. */
uint32_t deferred_user(const struct dusk_profile *p, uint32_t node);
