/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Group samples that share a deferred user stack, for formats that write it once for all of them.
 *
 * A profile has samples joined with their stacks, without the cookies. So cookies are made up: consecutive samples of a
 * thread with the same user stack share one.
 */
#pragma once
#include <dusk/dusk.h>

struct deferred {
	uint64_t cookie; /* unique in the profile for this stack; 0: there is no user stack */
	bool last;	 /* the last sample with this cookie: the stack follows it */
	bool hurried;	 /* the thread's next sample is not later, so the stack must have this sample's time */
};

/* Make an array with an element for each sample. Free it with free(). Returns 0 or -ENOMEM. */
int deferred_new(struct deferred **ret, const struct dusk_profile *p);

/* Is @node a kernel frame? */
bool deferred_in_kernel(const struct dusk_profile *p, uint32_t node);

/* The innermost user node of the stack that ends at @node, or 0. */
uint32_t deferred_user(const struct dusk_profile *p, uint32_t node);
