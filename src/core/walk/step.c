/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "core/walk/step.h"

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
	if (!simple_cfa(m, t, &cfa) || !cfa_leads_up(m, cfa) || !simple_ra(m, t, cfa, &ra) || !ra)
		return false;

	frame_add(w, nr);
	verifier_join();
	saved = registers_of(row->saved);
	restore(m, cfa);
	m->invalid = (m->invalid | lost_in_call(m)) & ~saved;
	m->lazy |= saved;
	t->initial &= ~saved;
	m->pc_is_exact = 0;
	sp_is_known(m);
	m->sp = m->reg[REG_SP] = cfa;
	m->pc = code_address(ra);
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
