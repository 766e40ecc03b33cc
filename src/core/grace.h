/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * When is nobody left who may still act on what was taken away?
 *
 * Whoever acts for a consumer enters, looks whether the consumer is still there, acts, and leaves. Whoever removes a
 * consumer marks it gone first, and then waits until all who had entered before have left: who enters later sees the
 * mark. Entering costs two additions to memory of the own CPU, and never waits.
 *
 * The scheme is that of sleepable RCU: entries are counted in two phases, and the waiter turns the phase before it
 * waits for the old one to drain. It does so twice, because somebody may have read the phase before a turn and count
 * himself after it.
 */
#pragma once
#include "atomic.h"

#define GRACE_ROWS 64		/* CPUs beyond share them; a power of two */

struct grace_row {
	u64 in[2], out[2], pad[4];	/* a cache line */
};

struct grace {
	u32 phase, pad[15];
	struct grace_row row[GRACE_ROWS];
};

/* Enter, on CPU @cpu. Returns what grace_leave() wants. Any context. */
static INLINE u32 grace_enter(struct grace *g, u32 cpu)
{
	u32 phase = load_relaxed(&g->phase) & 1;

	fetch_add(&at(g->row, cpu & (GRACE_ROWS - 1)).in[phase], 1);
	return phase;
}

static INLINE void grace_leave(struct grace *g, u32 cpu, u32 phase)
{
	fetch_add(&at(g->row, cpu & (GRACE_ROWS - 1)).out[phase & 1], 1);
}

/* Turn the phase: returns the one that is to drain. One waiter at a time. */
static inline u32 grace_turn(struct grace *g)
{
	return xchg(&g->phase, load_relaxed(&g->phase) ^ 1) & 1;
}

/* Have all left who entered in @phase? Departures are summed up first, so that none counts without its arrival. */
static inline bool grace_is_over(const struct grace *g, u32 phase)
{
	u64 in = 0, out = 0;

	for (u32 i = 0; i < GRACE_ROWS; i++)
		out += load_acquire(&g->row[i].out[phase]);
	for (u32 i = 0; i < GRACE_ROWS; i++)
		in += load_acquire(&g->row[i].in[phase]);
	return in == out;
}
