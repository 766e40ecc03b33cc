/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The short way that nearly all frames take: known mapping, cached and simple row, return address in the stack's
 * window.
 *
 * Both walks use it: walk.c, which has other ways where this one ends, and nofault.c, which has not.
 */
#pragma once
#include "core/rowcache.h"
#include "core/walk/walk.h"

static INLINE bool peek(struct machine *m, struct walk_trace *t, u64 addr, u64 *ret)
{
	u64 pair;

	if (!stack_peek_pair(m, addr, &pair))
		return false;
	if (t->on)
		read_log_add(&t->reads, (addr & ~7ULL) - t->base, pair);
	*ret = word_in(m, addr, pair);
	return true;
}

/* Is @pc in the range that was last found for its page? */
static INLINE bool range_is_hinted(struct modules *ms, u64 pc)
{
	ms->here = at(ms->hint, hint_of(pc));
	return module_holds(ms, pc);
}

/* Is the row at @pc, which is in module_here(), cached? Then it is in w->machine.row. */
static INLINE bool row_is_known(struct walk *w, u64 pc)
{
	struct range *here = module_here(&w->modules);

	if (!here->module || !module_has_tables(here))
		return false;
	return !rowcache_get(rowcache_key(here->module, pc + here->file_off, pc != w->machine.pc), here->owner,
			     &w->machine.row);
}

/* Compute the CFA of a simple row. False: it depends on a register that is lost, or not in the window. */
static INLINE bool simple_cfa(struct machine *m, struct walk_trace *t, u64 *ret)
{
	u32 reg = m->row.cfa_reg & (NR_REGS - 1);
	u64 base = m->sp;

	if (m->row.cfa_reg != REG_SP) {
		base = at(m->reg, reg);
		if (m->invalid >> reg & 1 || (m->lazy >> reg & 1 && !peek(m, t, base, &base)))
			return false;
		at(m->reg, reg) = base;
		m->lazy &= ~(1u << reg);
		t->used |= t->initial & 1u << reg;
	} else if (sp_is_lost(m)) {
		return false;
	}
	*ret = word_trim(m, base + (s64)m->row.cfa_off);
	return true;
}

/* Get the return address of a simple row. False: it is not in the window, or lost. */
static INLINE bool simple_ra(struct machine *m, struct walk_trace *t, u64 cfa, u64 *ret)
{
	u64 ra;

	if (!RA_IN_A_REGISTER || m->row.rule[SLOT_RA] != RULE_SAME)
		return peek(m, t, cfa + (s64)m->row.off[SLOT_RA], ret);
	ra = m->reg[REG_RA];
	if (m->invalid >> REG_RA & 1 || (m->lazy >> REG_RA & 1 && !peek(m, t, ra, &ra)))
		return false;
	t->used |= t->initial & 1u << REG_RA;
	*ret = ra;
	return true;
}

static INLINE void frame_add(struct walk *w, u32 nr)
{
	struct range *here = module_here(&w->modules);

	at(w->out.frame, nr) =
		frame_left(frame_make(here->module, w->machine.pc + here->file_off, !w->machine.pc_is_exact),
			   row_method(&w->machine.row));
	at(w->sp_words, nr) = sp_word(w, w->machine.sp);
	w->out.nr = nr + 1;
}

/*
 * step.c: walk as many frames as this way leads, at most STEPS_A_TURN. Adds what it reads of the stack to w->trace, if
 * that is on.
 */
#define STEPS_A_TURN 16
GLOBAL int steps(struct walk *w NONNULL);
