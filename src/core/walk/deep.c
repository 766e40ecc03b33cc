/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Stacks with more frames than are kept. They keep their innermost frames, and their outermost ones, which say what the thread
 * is: main(), a thread's function. FRAME_GAP is between the two.
 *
 * How deep the stack is shows only at its end. So the last quarter of the kept frames is a ring, which is overwritten again
 * and again.
 */
#include "abi/outcome.h"
#include "core/walk/walk.h"

static INLINE u32 first_outer(const struct walk *w)
{
	return w->max_depth - walk_nr_outer(w);
}

GLOBAL u32 deep_make_room(struct walk *w NONNULL)
{
	u32 nr = walk_nr_outer(w);

	/* What is visited is no frame of the stack. */
	if (!nr || w->visited || (w->laps + 1) * nr > WALK_DEEPEST)
		return TOO_DEEP;
	w->laps++;
	w->out.nr = first_outer(w);
	w->row_wanted = 0; /* its frame would be one of the ring */
	return 0;
}

/* The oldest frame of the ring is the one that would be overwritten next. */
TURN(take_outer, struct walk, w)
{
	u32 i = w->out.nr + turn;

	i -= i < w->max_depth ? 0 : walk_nr_outer(w);
	at(w->outer, turn) = at(w->out.frame, i);
	return NEXT;
}

TURN(put_outer, struct walk, w)
{
	at(w->out.frame, first_outer(w) + turn) = at(w->outer, turn);
	return NEXT;
}

GLOBAL int deep_close_gap(struct walk *w NONNULL)
{
	if (outcome_is_complete(w->outcome))
		w->outcome = TOO_DEEP;
	w->outer[0] = FRAME_GAP;
	loop(walk_nr_outer(w), put_outer, w);
	w->out.nr = w->max_depth;
	return 0;
}

/* The walk of a stack that was too deep has ended. */
static INLINE void end_deep(struct walk *w)
{
	/* These frames are not the outermost. */
	if (w->outcome == GOING_ON || w->outcome == TOO_DEEP || w->outcome == TOO_LONG) {
		w->outcome = TOO_DEEP;
		w->out.nr = first_outer(w);
		return;
	}
	loop(walk_nr_outer(w), take_outer, w);
	deep_close_gap(w);
}

GLOBAL int walk_ended(struct walk *w NONNULL)
{
	w->nr_walked = w->out.nr;
	if (w->visited) {
		w->outcome = w->before;
		w->out.nr = w->nr_before;
	}
	return 0;
}

GLOBAL int walk_finish(struct walk *w NONNULL)
{
	if (w->laps)
		end_deep(w);
	return 0;
}
