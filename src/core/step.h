/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The way nearly all frames go: known mapping, cached and simple row, return address in the stack's window.
 *
 * What it reads of the stack it notes, if it is told where. Both walks use it: walk.c, which can do more where this
 * cannot go on, and warm.c, which cannot.
 */
#pragma once
#include "readset.h"
#include "rowcache.h"
#include "walk.h"

/* What a walk depended on, apart from its rows. */
struct trace {
	u64 base;		/* the eight bytes that the stack pointer was in when it began */
	u32 initial;		/* registers that have not been restored since, a bit each */
	u32 used;		/* of these */
	struct readset reads;
};

static INLINE bool peek(struct machine *m, struct trace *t, u64 addr, u64 *ret)
{
	u64 pair;

	if (!stack_peek_pair(m, addr, &pair))
		return false;
	if (t)
		readset_add(&t->reads, (addr & ~7ULL) - t->base, pair);
	*ret = word_in(m, addr, pair);
	return true;
}

/* Is @pc in the range that was found there last? */
static INLINE bool range_is_hinted(struct modules *ms, u64 pc)
{
	ms->here = at(ms->hint, hint_of(pc));
	return module_holds(ms, pc);
}

/* Is the row at @pc, which is in module_here(), known? Then it is in w->machine.row. */
static INLINE bool row_is_known(struct walk *w, u64 pc)
{
	struct range *here = module_here(&w->modules);

	if (!here->module || !module_has_tables(here))
		return false;
	return !rowcache_get(rowcache_key(here->module, pc + here->file_off), &w->machine.row);
}

/* The CFA of a simple row. False: it hangs on a register that is lost, or not in the window. */
static INLINE bool simple_cfa(struct machine *m, struct trace *t, u64 *ret)
{
	u32 reg = m->row.cfa_reg & (NR_REGS - 1);
	u64 base = m->sp;

	if (m->row.cfa_reg != RSP) {
		base = at(m->reg, reg);
		if (m->invalid >> reg & 1 || (m->lazy >> reg & 1 && !peek(m, t, base, &base)))
			return false;
		at(m->reg, reg) = base;
		m->lazy &= ~(1u << reg);
		if (t)
			t->used |= t->initial & 1u << reg;
	}
	*ret = word_trim(m, base + (s64)m->row.cfa_off);
	return true;
}

static INLINE void frame_add(struct walk *w, u32 nr)
{
	struct range *here = module_here(&w->modules);

	at(w->out.frame, nr) = frame_left(frame_make(here->module, w->machine.pc + here->file_off, !w->machine.exact),
					  row_method(&w->machine.row));
	w->out.nr = nr + 1;
}

/* One frame. False, and nothing done, if it is not of that kind. */
static INLINE bool step(struct walk *w, struct trace *t)
{
	struct machine *m = &w->machine;
	struct row *row = &m->row;
	u64 pc = m->pc - !m->exact, cfa, ra;
	u32 nr = w->out.nr;

	if (nr >= w->max_depth || w->no_cache || !range_is_hinted(&w->modules, pc) || !row_is_known(w, pc) ||
	    !(row->flags & ROW_SIMPLE))
		return false;
	if (!simple_cfa(m, t, &cfa) || cfa <= m->sp || !peek(m, t, cfa + (s64)row->off[SLOT_RA], &ra) || !ra)
		return false;

	frame_add(w, nr);
	m->invalid |= lost_in_call(m);
	UNROLL
	for (u32 slot = 0; slot < NR_SAVED; slot++)
		if (row->saved >> slot & 1) {
			lies_at(m, reg_of_slot[slot], cfa + (s64)row->off[slot]);
			if (t)
				t->initial &= ~(1u << reg_of_slot[slot]);
		}
	m->exact = 0;
	m->sp = m->reg[RSP] = cfa;
	m->pc = ra;
	return true;
}
