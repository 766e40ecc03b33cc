/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Every state that a few threads can bring about, whatever the order of their steps.
 *
 * The threads are coroutines; a step ends before each access to a word that threads share and change: each atomic one,
 * or with each_access each one whatever (which the compiler reports, as it would to the thread sanitizer). From each
 * state, each of the threads that can go on is let go on. A state that was met before is not entered again: what can
 * follow is known. (A state is all that the model declares, and the stacks and registers of the threads.) So all orders
 * are covered without running each of them, and threads may wait in a loop.
 *
 * Which words are shared and changed is found out on the way, and the search begun anew when there is one more.
 *
 * Threads of one CPU are nested: one of a higher number interrupts those of lower numbers at any step, and they do not
 * go on before it has ended. Threads of different CPUs (or of none: 0) mix freely.
 *
 * Whoever runs sees memory as the ones before left it: orders of the hardware's own are not explored
 * (doc/memory-order.md).
 *
 * The core is compiled unchanged: include this file first, then core's .c file. Its atomic.h comes before the
 * definitions below, which take its place.
 */
#pragma once
#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include "core/atomic.h"

#define MAX_THREADS 4
#define MAX_PARTS 12

void point(void);				 /* a step ends here, anyhow */
void atomic_begin(const void *word, bool write); /* if others see the word */
void atomic_end(void);

#undef load_relaxed
#undef load_acquire
#undef store_release
#undef fence_acquire
#undef fence_release
#undef fetch_add
#undef fetch_or
#undef fetch_and
#undef cmpxchg
#undef xchg
#define load_relaxed(p)                    \
	({                                 \
		atomic_begin((p), false);  \
		typeof(*(p)) seen_ = *(p); \
		atomic_end();              \
		seen_;                     \
	})
#define load_acquire(p) load_relaxed(p)
#define change_(p, v, to)                    \
	({                                   \
		typeof(*(p)) v_ = (v), was_; \
		atomic_begin((p), true);     \
		was_ = *(p);                 \
		*(p) = (to);                 \
		atomic_end();                \
		was_;                        \
	})
#define xchg(p, v) change_(p, v, v_)
#define store_release(p, v) ((void)xchg(p, v))
#define fence_acquire() asm volatile("" ::: "memory")
#define fence_release() fence_acquire()
#define fetch_add(p, v) change_(p, v, was_ + v_)
#define fetch_or(p, v) change_(p, v, was_ | v_)
#define fetch_and(p, v) change_(p, v, was_ &v_)
#define cmpxchg(p, old, new) change_(p, new, was_ == (old) ? v_ : was_)

struct model {
	u32 threads;
	void (*thread)(u32 me);
	bool (*can_start)(u32 me); /* and start again, when it has ended; NULL: once, from the start */
	void (*reset)(void);
	bool (*is_right)(void); /* when no thread can go on */
	u32 cpu[MAX_THREADS];
	bool each_access;
	struct {
		void *at;
		size_t bytes;
	} part[MAX_PARTS]; /* of the state: all that a thread writes, or is_right() looks at */
};

#define PART(variable) {&(variable), sizeof(variable)}

/* Explore @m, and say whether all ends are right: a line of TAP, with the first order that ends wrong. */
void explore_holds(const struct model *m, const char *claim);

/* The same for a protocol that was broken on purpose: is the harm seen? */
void explore_catches(const struct model *m, const char *claim);

/* The last line of TAP, and the exit status. */
int explore_done(void);
