/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The frame that the kernel puts on the stack of a task to which it delivers a signal. */
#pragma once
#include "core/machine.h"

/*
 * The kernel's signal frame: the general registers lie below rip (linux uapi/asm/sigcontext.h, struct sigcontext_64 and
 * sigcontext_32). 32-bit tasks have two kinds of such frames, which differ in what comes before. Since Linux 7 the CFA
 * of neither is the interrupted esp, which is among the other registers.
 */
#define ESP_BELOW_EIP 28
#define RSP_BELOW_RIP 8

/* May the CFA of m->row not be the interrupted stack pointer? CFI of 64-bit code says where the kernel has saved that. */
static INLINE bool sp_is_in_frame(const struct machine *m)
{
	return m->compat || row_method(&m->row) == BY_CODE;
}

/* Take the interrupted code's registers and stack pointer from the frame. Returns 0 or an enum outcome. */
static INLINE u32 signal_frame(struct machine *m)
{
	static const s8 below_rip[32] = {
		[R8] = -128,	  [R9] = -120,	    [R10] = -112,     [R11] = -104,	[R12] = -96,
		[R13] = -88,	  [R14] = -80,	    [R15] = -72,      [RDI] = -64,	[RSI] = -56,
		[RBP] = -48,	  [RBX] = -40,	    [RDX] = -32,      [RAX] = -24,	[RCX] = -16,
		[16 + R13] = -40, [16 + R12] = -36, [16 + RBP] = -32, [16 + RBX] = -24, [16 + RDX] = -20,
		[16 + RCX] = -16, [16 + RAX] = -12,
	};
	u32 first = m->compat * 4;
	int err;

	each (reg, 16)
		at(m->reg, reg) = m->ra_at + (s64)at(below_rip, first + reg);
	m->lazy |= 0xff7f;
	m->invalid = NEVER_KNOWN;
	stack_forget(m); /* the handler may have run on another stack */
	if (!sp_is_in_frame(m))
		return 0;
	err = stack_read(m, m->ra_at - (m->compat ? ESP_BELOW_EIP : RSP_BELOW_RIP), &m->cfa);
	return err ? read_outcome(err, STACK_UNREADABLE) : 0;
}

/* signal_rules.c: return the rule for the code in m->code, which is around m->pc, or 0. */
GLOBAL u32 signal_rule(struct machine *m NONNULL);

/*
 * signal_rules.c: make m->row, if m->pc is code to which signal handlers return, or the system call there. Returns an enum
 * cfi_quirk; QUIRK_BY_STACK: in that call, which the code alone does not say.
 */
GLOBAL u32 row_of_handlers_return(struct machine *m NONNULL);
