/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Apply a row to the registers, to get the caller's registers. All sanity checks of frames are here. */
#include "abi/outcome.h"
#include "core/machine.h"

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
	default: return BAD_RA_RULE;
	}
	m->ra_at = addr;
	err = stack_read(m, addr, ret);
	return err ? read_outcome(err, STACK_UNREADABLE) : 0;
}

static INLINE void is(struct machine *m, u32 reg, u64 val)
{
	m->reg[reg] = val;
	m->lazy &= ~(1u << reg);
	m->invalid &= ~(1u << reg);
}

static INLINE void restore(struct machine *m, u32 slot)
{
	u32 reg = reg_of_slot[slot];

	switch (m->row.rule[slot]) {
	case RULE_SAME: break;
	case RULE_OFFSET: lies_at(m, reg, m->cfa + (s64)m->row.off[slot]); break;
	case RULE_VAL_OFFSET: is(m, reg, word_trim(m, m->cfa + (s64)m->row.off[slot])); break;
	case RULE_EXPR: lies_at(m, reg, m->value[slot]); break;
	case RULE_VAL_EXPR: is(m, reg, m->value[slot]); break;
	default: m->invalid |= 1u << reg;
	}
}

/*
 * The kernel's signal frame: the general registers lie below rip (linux uapi/asm/sigcontext.h, struct sigcontext_64 and
 * sigcontext_32). 32-bit tasks have two kinds of such frames, which differ in what comes before. Since Linux 7 the CFA
 * of neither is the interrupted esp, which is among the other registers.
 */
#define ESP_BELOW_EIP 28

static INLINE void restore_all(struct machine *m)
{
	static const s8 below_rip[32] = {
		[R8] = -128,	  [R9] = -120,	    [R10] = -112,     [R11] = -104,	[R12] = -96,
		[R13] = -88,	  [R14] = -80,	    [R15] = -72,      [RDI] = -64,	[RSI] = -56,
		[RBP] = -48,	  [RBX] = -40,	    [RDX] = -32,      [RAX] = -24,	[RCX] = -16,
		[16 + R13] = -40, [16 + R12] = -36, [16 + RBP] = -32, [16 + RBX] = -24, [16 + RDX] = -20,
		[16 + RCX] = -16, [16 + RAX] = -12,
	};
	u32 first = m->compat * 4;

	m->signal_frames++;
	UNROLL
	for (u32 reg = 0; reg < 16; reg++)
		m->reg[reg] = m->ra_at + (s64)at(below_rip, first + reg);
	m->lazy |= 0xff7f;
	m->invalid = NEVER_KNOWN;
	stack_forget(m); /* the handler may have run on another stack */
}

CORE u32 apply_row(struct machine *m)
{
	bool signal = m->row.flags & ROW_SIGNAL;
	u64 ra = 0;
	u32 err;

	if (!signal && m->cfa & (word_bytes(m) - 1)) { /* psABI x86-64 §3.2.2: pushed values lie at words */
		m->detail = m->cfa;
		return MISALIGNED;
	}
	err = return_address(m, &ra);
	if (err) {
		m->detail = m->cfa;
		return err;
	}
	if (signal) {
		restore_all(m);
		if (m->compat) {
			err = stack_read(m, m->ra_at - ESP_BELOW_EIP, &m->cfa);
			if (err)
				return read_outcome(err, STACK_UNREADABLE);
		}
	} else {
		m->invalid |= lost_in_call(m);
		if (m->row.saved & SAVED_SLOTS) {
			UNROLL
			for (u32 slot = 0; slot < NR_SAVED; slot++)
				restore(m, slot);
		}
		if (m->cfa < m->sp || (m->cfa == m->sp && !m->pc_is_exact)) {
			m->detail = m->cfa;
			return NOT_MONOTONIC;
		}
	}
	m->pc_is_exact = signal;
	m->sp = m->reg[RSP] = m->cfa;
	m->pc = ra;
	return ra ? 0 : ZERO_RA;
}
