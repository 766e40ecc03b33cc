/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "core/walk/nofault.h"

/*
 * Move the window to the word that the frame depends on. False: the window is there already, so the step failed for
 * another reason.
 */
static INLINE bool move_window(struct machine *m, struct walk_trace *t)
{
	struct stack_window *s = &m->stack;
	u32 reg = m->row.cfa_reg & (NR_REGS - 1), left;
	u64 addr, base, there;

	if (m->row.cfa_reg != REG_SP && m->lazy >> reg & 1 && !stack_peek(m, at(m->reg, reg), &there))
		addr = at(m->reg, reg);
	else if (simple_cfa(m, t, &addr))
		addr += (s64)m->row.off[SLOT_RA];
	else
		return false;
	if (addr & (word_bytes(m) - 1) || stack_peek(m, addr, &there))
		return false;
	base = addr & ~7ULL;
	left = PAGE_BYTES - (base & (PAGE_BYTES - 1));
	s->base = base;
	s->len = 0;
	if (port_peek(s->word, left, base))
		return false;
	s->len = left;
	return true;
}

/* Is this the outermost frame, by a row that says so? */
static INLINE bool is_outermost(struct machine *m)
{
	const struct row *row = &m->row;

	return row->rule[SLOT_RA] == RULE_UNDEFINED && row->cfa_kind == CFA_REG && row->cfa_reg == REG_SP &&
	       !(row->flags & ~ROW_METHOD) && !((m->sp + (s64)row->cfa_off) & (word_bytes(m) - 1));
}

TURN(nofault_turn, struct walk, w)
{
	struct machine *m = &w->machine;
	u32 before = w->out.nr, nr;
	bool hinted;
	u64 pc;

	steps(w);
	nr = w->out.nr;
	pc = m->pc - !m->pc_is_exact;
	hinted = range_is_hinted(&w->modules, pc);
	if (nr >= w->max_depth || w->no_cache || (!hinted && module_find_slow(&w->modules, pc)) || !row_is_known(w, pc))
		return STOP;
	if (is_outermost(m)) {
		frame_add(w, nr);
		w->outcome = UNDEFINED_RA;
		return STOP;
	}
	if (!(m->row.flags & ROW_SIMPLE))
		return STOP;
	return !hinted || nr - before == STEPS_A_TURN || move_window(m, &w->trace) ? NEXT : STOP;
}

CORE int walk_nofault(struct walk *w)
{
	struct walk_trace *t = &w->trace;

	walk_start(w);
	w->outcome = GOING_ON;
	t->on = 1;
	t->base = w->machine.sp & ~7ULL;
	t->initial = ~0u;
	t->used = 0;
	read_log_clear(&t->reads);
	loop(NOFAULT_TURNS, nofault_turn, w);
	return w->outcome == UNDEFINED_RA ? 0 : -EAGAIN;
}
