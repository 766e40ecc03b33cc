/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What go.c and cgo.c share: how Go's stacks hang together. */
#pragma once
#include "core/machine.h"

/* The stack_switch_patterns from one stack to another, known by the code around the return address. */
enum go_kind { NO_SWITCH, SYSTEMSTACK, MCALL, MORESTACK, ASMCGOCALL, CGOCALLBACK, CROSSCALL1, CROSSCALL2 };

/* Words of a g: its stack, its m; what was kept of rsp, rip and rbp. Up to Go 1.24 there is a 0, and then rbp. */
enum { G_START, G_END, G_M = 6, G_SP, G_PC, G_BP = 12, G_OLD_BP, G_WORDS };

/*
 * At m->sp is the frame of a function that went over to its thread's stack: a return address, and since Go 1.21 an rbp
 * before it, which lies in the same stack, as @end is the end of, or is 0. Leave it, to m->pc and m->reg[RBP].
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

/* cgo.c: between the stacks of Go and C, by @kind. 0, -EFAULT or -EACCES. */
CORE int cgo_switch(struct machine *m, u32 kind);
