/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "core/walk/step.h"

/* Return the registers of a row's slots, a bit each. */
static INLINE u32 registers_of(u32 slots)
{
	_Static_assert(SLOT_RBX == 0 && SLOT_RBP == 1 && SLOT_R12 == 2 && SLOT_R15 == 5, "the order of slots");
	return (slots & 1) << RBX | (slots >> 1 & 1) << RBP | (slots >> 2 & 15) << R12;
}

/* Set the registers that the row saved to their addresses. Without branches: each would double the verifier's paths. */
static INLINE void restore(struct machine *m, u64 cfa)
{
	const struct row *row = &m->row;

	UNROLL
	for (u32 slot = 0; slot < NR_SAVED; slot++) {
		u64 *reg = &m->reg[reg_of_slot[slot]];
		u64 is = -(u64)opaque((u64)(row->saved >> slot & 1));

		*reg ^= (*reg ^ (cfa + (s64)row->off[slot])) & is;
	}
}

/* Walk one frame. False, with nothing changed: it is not of the simple kind. */
static INLINE bool step(struct walk *w)
{
	struct machine *m = &w->machine;
	struct walk_trace *t = &w->trace;
	struct row *row = &m->row;
	u64 pc = m->pc - !m->pc_is_exact, cfa, ra;
	u32 nr = w->out.nr, saved;

	if (nr >= w->max_depth || w->no_cache || !range_is_hinted(&w->modules, pc) || !row_is_known(w, pc) ||
	    !(row->flags & ROW_SIMPLE))
		return false;
	if (!simple_cfa(m, t, &cfa) || cfa <= m->sp || !peek(m, t, cfa + (s64)row->off[SLOT_RA], &ra) || !ra)
		return false;

	frame_add(w, nr);
	saved = registers_of(row->saved);
	restore(m, cfa);
	m->invalid = (m->invalid | lost_in_call(m)) & ~saved;
	m->lazy |= saved;
	t->initial &= ~saved;
	m->pc_is_exact = 0;
	m->sp = m->reg[RSP] = cfa;
	m->pc = ra;
	return true;
}

GLOBAL int steps(struct walk *w NONNULL)
{
	each (i, STEPS_A_TURN) {
		if (!step(w))
			break;
	}
	return 0;
}
