/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Every order in which a few threads can take their steps.
 *
 * The threads are coroutines; a step ends at point(), which stands before each access to a shared word. A run follows
 * a list of choices, one a step: which of the threads that can go on goes on. The next run has the last choice that
 * could be another one changed, until there is none: so each order is run exactly once. Whoever runs sees memory as
 * the ones before left it: orders of the hardware's own are not explored (on x86 the words concerned are only changed
 * by locked instructions, which are full fences).
 *
 * With COUNTERS_COMMUTE, additions and relaxed loads are no steps of their own: fewer orders, for a model in which
 * they are only counters, where all orders come to the same.
 *
 * The core is compiled unchanged: include this file first, then core's .c file. Its atomic.h comes before the
 * definitions below, which take its place.
 */
#pragma once
#include <assert.h>
#include <stdio.h>
#include "core/atomic.h"

#define MAX_THREADS 4

void point(void);

#undef load_relaxed
#undef load_acquire
#undef store_release
#undef fetch_add
#undef cmpxchg
#undef xchg
#ifdef COUNTERS_COMMUTE
#define counter_point()		((void)0)
#else
#define counter_point()		point()
#endif
#define load_relaxed(p)		({ counter_point(); *(p); })
#define load_acquire(p)		({ point(); *(p); })
#define store_release(p, v)	({ point(); *(p) = (v); })
#define fetch_add(p, v)		({ counter_point(); typeof(*(p)) old_ = *(p); *(p) += (v); old_; })
#define cmpxchg(p, old, new)	({ point(); typeof(*(p)) was_ = *(p); if (was_ == (old)) *(p) = (new); was_; })
#define xchg(p, v)		({ point(); typeof(*(p)) was_ = *(p); *(p) = (v); was_; })

struct model {
	u32 threads;
	void (*thread)(u32 me);
	bool (*can_start)(u32 me);	/* and start again, when it has ended; NULL: once, from the start */
	void (*reset)(void);		/* before each run */
	bool (*is_right)(void);		/* after each run */
};

struct explored {
	unsigned long orders, wrong;
};

/* Run all orders of @m. One model a process. */
struct explored explore(const struct model *m);
