/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * When is nobody left who may still act on what was taken away?
 *
 * Whoever acts for a consumer enters, looks whether the consumer is still there, acts, and leaves. Whoever removes a
 * consumer marks it gone first, and then waits until all who had entered before have left: who enters later sees the
 * mark. Entering costs two additions to memory of the own CPU, and never waits.
 *
 * The scheme is that of sleepable RCU: entries are counted in two phases, and who waits turns the phase whenever the
 * one that comes next is empty. Any number may wait at the same time. They turn it for each other, so none depends on
 * another to go on. Three turns are waited for: the first may have been decided before the wait began; the second and
 * the third find each phase empty once, for somebody may have read the phase before a turn and count himself after it.
 */
#pragma once
#include "core/atomic.h"

#define GRACE_TURNS 3
#define GRACE_ROWS 64 /* CPUs beyond share them; a power of two */

struct grace_row {
	u64 in[2], out[2], pad[4]; /* a cache line */
};

struct grace {
	u32 turn, pad[15]; /* the lowest bit is the phase */
	struct grace_row row[GRACE_ROWS];
};

/* Enter, on CPU @cpu. Returns what grace_leave() wants. Any context. */
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

/* Have all left who entered in @phase? Departures are summed up first, so that none counts without its arrival. */
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
 * A wait begins: returns what grace_has_passed() wants. After what is taken away has been marked gone; a full barrier.
 */
static inline u32 grace_begin(struct grace *g)
{
	return fetch_add(&g->turn, 0);
}

/*
 * Have all left who had entered before the wait began? To be asked again until they have, or until that takes too long.
 */
static inline bool grace_has_passed(struct grace *g, u32 begun)
{
	u32 turn = fetch_add(&g->turn, 0); /* a full barrier, as above: for whoever waits */

	if (turn - begun < GRACE_TURNS && grace_is_empty(g, (turn + 1) & 1))
		cmpxchg(&g->turn, turn, turn + 1);
	return load_acquire(&g->turn) - begun >= GRACE_TURNS;
}
