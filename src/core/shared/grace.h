/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Grace periods: wait until no CPU may still act on what was taken away.
 *
 * To act for a consumer, a caller enters, checks that the consumer is still there, acts, and leaves. To remove a
 * consumer, a caller first marks it gone, and then waits until all that had entered before have left: those that enter
 * later see the mark. To enter takes one addition to memory of the own CPU, to leave another, and neither waits.
 *
 * The scheme is that of sleepable RCU: entries are counted in two phases, and a waiter turns the phase whenever the
 * next phase is empty. Any number of waiters may wait at the same time. They turn the phase for each other, so none
 * depends on another. A wait takes three turns: the first may have been decided before the wait began; the second and
 * the third find each phase empty once, since a caller may have read the phase before a turn and be counted after it.
 */
#pragma once
#include "core/atomic.h"

#define GRACE_TURNS 3
#define GRACE_ROWS 64 /* CPUs with higher numbers share them; a power of two */

struct grace_row {
	u64 in[2], out[2], pad[4]; /* a cache line */
};

struct grace {
	u32 turn, pad[15]; /* the lowest bit is the phase */
	struct grace_row row[GRACE_ROWS];
};

/* Enter, on CPU @cpu. Returns the phase for grace_leave(). Any context. */
static INLINE u32 grace_enter(struct grace *g, u32 cpu)
{
	u32 phase = load_relaxed(&g->turn) & 1;

	fetch_add(&at(g->row, cpu & (GRACE_ROWS - 1)).in[phase], 1);
	return phase;
}

static INLINE void grace_leave(struct grace *g, u32 cpu, u32 phase)
{
	fetch_add(&at(g->row, cpu & (GRACE_ROWS - 1)).out[phase & 1], 1);
}

/* Have all that entered in @phase left? Departures are summed up first, so that none is counted without its arrival. */
static inline bool grace_is_empty(const struct grace *g, u32 phase)
{
	u64 in = 0, out = 0;

	for (u32 i = 0; i < GRACE_ROWS; i++)
		out += load_acquire(&g->row[i].out[phase]);
	for (u32 i = 0; i < GRACE_ROWS; i++)
		in += load_acquire(&g->row[i].in[phase]);
	return in == out;
}

/*
 * Begin a wait, after what is taken away has been marked gone; a full barrier. Returns @begun for grace_has_passed().
 */
static inline u32 grace_begin(struct grace *g)
{
	return fetch_add(&g->turn, 0);
}

/* Have all that had entered before the wait began left? Call it again until they have, or until that takes too long. */
static inline bool grace_has_passed(struct grace *g, u32 begun)
{
	u32 turn = fetch_add(&g->turn, 0); /* a full barrier, as in grace_begin(): also for waits that others began */

	if (turn - begun < GRACE_TURNS && grace_is_empty(g, (turn + 1) & 1))
		cmpxchg(&g->turn, turn, turn + 1);
	return load_acquire(&g->turn) - begun >= GRACE_TURNS;
}
