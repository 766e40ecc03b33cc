/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Apply a row to the registers, to get the caller's registers. All sanity checks of frames are here. */
#include "abi/outcome.h"
#include "core/arch/signal_frame.h"
#include "core/walk/apply.h"

static INLINE u32 return_address(struct machine *m, u64 *ret)
{
	s32 off = m->row.off[SLOT_RA];
	u64 addr;
	int err;

	m->ra_at = 0;
	switch (m->row.rule[SLOT_RA]) {
	case RULE_UNDEFINED: return UNDEFINED_RA; /* the outermost frame says so */
	case RULE_OFFSET: addr = m->cfa + (s64)off; break;
	case RULE_EXPR: addr = m->value[SLOT_RA]; break;
	case RULE_VAL_EXPR: *ret = m->value[SLOT_RA]; return 0;
	case RULE_REGISTER: /* vfork() pops it into rdi */
		err = machine_reg(m, off, ret);
		return err ? read_outcome(err, BAD_RA_RULE) : 0;
	case RULE_SAME: /* not saved, or not yet */
		if (!RA_IN_A_REGISTER)
			return BAD_RA_RULE;
		err = machine_reg(m, REG_RA, ret);
		return err ? read_outcome(err, BAD_RA_RULE) : 0;
	case RULE_REPLACED: return LANDING;
	default: return BAD_RA_RULE;
	}
	m->ra_at = addr;
	err = stack_read(m, addr, ret);
	return err ? read_outcome(err, STACK_UNREADABLE) : 0;
}

static INLINE void restore(struct machine *m, u32 slot)
{
	u64 by_cfa = m->cfa + (s64)at(m->row.off, slot), by_expr = at(m->value, slot);
	u32 reg = at(reg_of_slot, slot) & (NR_REGS - 1);

	switch (at(m->row.rule, slot)) {
	case RULE_SAME: break;
	case RULE_OFFSET: lies_at(m, reg, by_cfa); break;
	case RULE_VAL_OFFSET: holds(m, reg, word_trim(m, by_cfa)); break;
	case RULE_EXPR: lies_at(m, reg, by_expr); break;
	case RULE_VAL_EXPR: holds(m, reg, by_expr); break;
	default: m->invalid |= 1u << reg;
	}
}

GLOBAL u32 apply_row(struct machine *m NONNULL)
{
	bool signal = m->row.flags & ROW_SIGNAL;
	u64 ra = 0;
	u32 err;

	if (!signal && m->cfa & (word_bytes(m) - 1)) { /* saved values lie at words */
		m->detail = m->cfa;
		return MISALIGNED;
	}
	err = verifier_forget(m->scratch.error, return_address(m, &ra));
	if (err) {
		m->detail = m->cfa;
		return err;
	}
	if (signal) {
		m->signal_frames++;
		err = signal_frame(m);
		if (err)
			return err;
	} else {
		m->invalid |= lost_in_call(m);
		if (m->row.saved & SAVED_SLOTS) {
			each (slot, NR_SAVED)
				restore(m, slot);
		}
		if (m->cfa < m->sp || (m->cfa == m->sp && !m->pc_is_exact)) {
			m->detail = m->cfa;
			return NOT_MONOTONIC;
		}
	}
	m->pc_is_exact = signal;
	ra = code_address(ra);
	sp_is_known(m);
	m->sp = m->reg[REG_SP] = m->cfa;
	m->pc = ra;
	return ra ? 0 : ZERO_RA;
}
