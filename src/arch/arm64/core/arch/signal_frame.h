/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The frame that the kernel puts on the stack of a task to which it delivers a signal. */
#pragma once
#include "core/code/cfi_quirks.h"
#include "core/code/framepointer.h"

/*
 * linux 6.18 arch/arm64/kernel/signal.c, struct rt_sigframe: siginfo of 128 bytes; a ucontext, in which the registers lie
 * (uapi/asm/ucontext.h, sigcontext.h): fault_address, regs[31], sp, pc.
 */
#define SIGNAL_X0 (128 + 176 + 8)
#define SIGNAL_SP (SIGNAL_X0 + 31 * 8)
#define SIGNAL_PC (SIGNAL_SP + 8)

/* Take the interrupted code's registers and stack pointer from the frame. Returns 0 or an enum outcome. */
static INLINE u32 signal_frame(struct machine *m)
{
	u64 x0 = m->ra_at - SIGNAL_PC + SIGNAL_X0;
	int err;

	each (reg, SP)
		at(m->reg, reg) = x0 + 8 * reg;
	m->lazy |= ~(1u << SP);
	m->invalid = NEVER_KNOWN;
	stack_forget(m); /* the handler may have run on another stack */
	err = stack_read(m, m->ra_at - 8, &m->cfa);
	return err ? read_outcome(err, STACK_UNREADABLE) : 0;
}

/* Make m->row for the code to which signal handlers return, where the frame lies at sp. */
static INLINE void row_of_signal(struct machine *m)
{
	memset(&m->row, 0, sizeof(m->row));
	m->row.cfa_kind = CFA_REG;
	m->row.cfa_reg = SP;
	m->row.flags = ROW_SIGNAL;
	m->row.rule[SLOT_RA] = RULE_OFFSET;
	m->row.off[SLOT_RA] = SIGNAL_PC;
}

/* Make m->row, if return address m->pc is that code, in a file without tables, as the vDSO is: mov x8,#139; svc #0. */
static INLINE enum cfi_quirk row_of_handlers_return(struct machine *m)
{
	if ((m->code_at != m->pc && framepointer_code(m, m->pc)) || instruction(m->code + 8) != 0xd2801168 ||
	    !is_system_call(m, m->code + 12))
		return NO_QUIRK;
	row_of_signal(m);
	return QUIRK_BY_CODE;
}
