/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How functions of Go that have changed the stack are left. */
#pragma once
#include "core/code/rule.h"

/* Words of a g: its stack, its m; the kept rsp, rip and rbp. Up to Go 1.24 rbp is one word later, behind a 0. */
enum { G_START, G_END, G_M = 6, G_SP, G_PC, G_BP = 12, G_OLD_BP, G_WORDS };

/*
 * At m->sp is the frame of a function that switched to its thread's stack: a return address, and since Go 1.21 before
 * it an rbp, which is 0 or points into the same stack, which ends at @end. Leave the frame, to m->pc and m->reg[REG_FP].
 * Returns 0, -EFAULT or -EACCES.
 */
static INLINE int go_leave_frame(struct machine *m, u64 end)
{
	u64 bp;
	int err = port_read(m->scratch.word, 16, m->sp);

	if (err)
		return err;
	m->pc = m->scratch.word[0];
	if (!m->pc || m->pc - m->sp < end - m->sp) {
		holds(m, REG_FP, m->pc);
		m->pc = m->scratch.word[1];
		m->sp += 8;
	} else if (machine_reg(m, REG_FP, &bp) || bp - m->sp >= end - m->sp) {
		return -EFAULT;
	}
	m->sp += 8;
	return 0;
}

/*
 * Go to where the function at return address m->pc came from, by @kind, an enum switch_kind: to m->pc, m->sp and the
 * registers that are known. go.c: SYSTEMSTACK, MCALL and MORESTACK; cgo.c: the others, between Go and C.
 * Returns 0, -EFAULT or -EACCES; -ENOENT: it is another function; -ESRCH: it has no caller.
 */
CORE int go_switch(struct machine *m, u32 kind);
CORE int cgo_switch(struct machine *m, u32 kind);

/* go.c: parts of go_switch() and of return_rule_step(), verified once. */
GLOBAL u32 go_curg(struct machine *m NONNULL, u32 kind);
GLOBAL int go_resume(struct machine *m NONNULL);
GLOBAL bool go_called_near(struct machine *m NONNULL, u64 ra);
