/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Follow chains of wakers.
 *
 * The waker of a waker is the one that ended the last off-CPU interval of that thread before it woke the other. A chain
 * ends at an interrupt, at an unknown waker, and at a thread whose off-CPU interval is only part of a sum.
 */
#pragma once
#include <dusk/dusk.h>

#define MAX_WAKERS 8 /* in a chain */

struct wakers;

/* Index the off-CPU intervals of @p. Free *@ret with wakers_free() before @p. Returns 0 or -ENOMEM. */
int wakers_new(struct wakers **ret, const struct dusk_profile *p);
void wakers_free(struct wakers *w);

static inline void wakers_freep(struct wakers **w)
{
	wakers_free(*w);
}

/* The off-CPU interval whose end let the waker of @s run, and which has a waker itself; NULL: the chain ends here. */
const struct dusk_sample *wakers_before(const struct wakers *w, const struct dusk_sample *s);

/*
 * The node at which the waker's stack ends for a reader, exclusive: that of an interrupt ends at the interrupted code.
 * 0: after its outermost frame.
 */
uint32_t waker_end(const struct dusk_profile *p, const struct dusk_waker *by);

/* The name of a waker: "redis-server", "[interrupt]". */
const char *waker_name(const struct dusk_profile *p, const struct dusk_waker *by);
