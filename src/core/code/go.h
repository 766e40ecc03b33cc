/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What go.c and cgo.c share: how Go's stacks are connected. */
#pragma once
#include "core/machine.h"

/* The ways from one stack to another, recognized by the code around the return address. */
enum go_kind { NO_SWITCH, SYSTEMSTACK, MCALL, MORESTACK, ASMCGOCALL, CGOCALLBACK, CROSSCALL1, CROSSCALL2 };

/* Words of a g: its stack, its m; the kept rsp, rip and rbp. Up to Go 1.24 rbp is one word later, behind a 0. */
enum { G_START, G_END, G_M = 6, G_SP, G_PC, G_BP = 12, G_OLD_BP, G_WORDS };

/*
 * At m->sp is the frame of a function that switched to its thread's stack: a return address, and since Go 1.21 before
 * it an rbp, which is 0 or points into the same stack, which ends at @end. Leave the frame, to m->pc and m->reg[RBP].
 * Returns 0, -EFAULT or -EACCES.
 */
static INLINE int go_leave_frame(struct machine *m, u64 end)
{
	u64 bp;
	int err = port_read(m->operand, 16, m->sp);

	if (err)
		return err;
	m->pc = m->operand[0];
	if (!m->pc || m->pc - m->sp < end - m->sp) {
		holds(m, RBP, m->pc);
		m->pc = m->operand[1];
		m->sp += 8;
	} else if (machine_reg(m, RBP, &bp) || bp - m->sp >= end - m->sp) {
		return -EFAULT;
	}
	m->sp += 8;
	return 0;
}

/* cgo.c: go from one stack to the other between Go and C, by @kind. Returns 0, -EFAULT or -EACCES. */
CORE int cgo_switch(struct machine *m, u32 kind);
