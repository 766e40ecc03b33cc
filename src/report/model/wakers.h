/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Who ended off-CPU intervals, and who woke those?
 *
 * The last off-CPU interval of a waker that was over before it woke somebody is what made it wake: its own waker is the
 * next one of a chain. A chain ends at an interrupt, at a waker that is not known, and at a thread whose off-CPU
 * interval was not recorded one by one.
 */
#pragma once
#include <dusk/dusk.h>

#define MAX_WAKERS 8 /* of a chain */

struct wakers;

/* *@ret is to be freed with wakers_free() before @p is. 0 or -ENOMEM. */
int wakers_new(struct wakers **ret, const struct dusk_profile *p);
void wakers_free(struct wakers *w);

static inline void wakers_freep(struct wakers **w)
{
	wakers_free(*w);
}

/* The off-CPU interval that made the waker of off-CPU interval @s wake; NULL: the chain ends here. */
const struct dusk_sample *wakers_before(const struct wakers *w, const struct dusk_sample *s);

/*
 * Where the stack of @by ends for a reader: of an interrupt, where it came upon something; 0: at its outermost frame.
 */
uint32_t waker_end(const struct dusk_profile *p, const struct dusk_waker *by);

/* "redis-server", "[interrupt]" */
const char *waker_name(const struct dusk_profile *p, const struct dusk_waker *by);
