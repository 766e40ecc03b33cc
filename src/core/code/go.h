/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How functions of Go that have changed the stack are left. */
#pragma once
#include "core/arch/regs.h"
#include "core/code/rule.h"

/* Words of a g: its stack, its m; the kept sp, pc and frame pointer. Up to Go 1.24 the latter is one word later. */
enum { G_START, G_END, G_M = 6, G_SP, G_PC, G_BP = 12, G_OLD_BP, G_WORDS };

/* Find the m that register REG_G, the thread's own g, belongs to: it goes to m->word. Returns 0, -EFAULT or -EACCES. */
static INLINE int go_find_thread(struct machine *m)
{
	u64 g0 = m->reg[REG_G], thread;
	int err;

	if (m->lazy >> REG_G & 1 || g0 & 7)
		return -EFAULT;
	err = port_read(&m->word, 8, g0 + 8 * G_M);
	if (err)
		return err;
	thread = m->word;
	err = port_read(&m->word, 8, thread);
	if (err || m->word != g0)
		return err ?: -EFAULT;
	m->word = thread;
	return 0;
}

/*
 * Go to where the function at return address m->pc came from, by @kind, an enum switch_kind: to m->pc, m->sp and the
 * registers that are known. go.c: SYSTEMSTACK, MCALL and MORESTACK; cgo.c: the others, between Go and C.
 * Returns 0, -EFAULT or -EACCES; -ENOENT: it is another function; -ESRCH: it has no caller.
 */
CORE int go_switch(struct machine *m, u32 kind);
CORE int cgo_switch(struct machine *m, u32 kind);

/* go.c of x86-64, but for the last one: parts of go_switch() and of return_rule_step(), verified once. */
GLOBAL u32 go_curg(struct machine *m NONNULL, u32 kind);
GLOBAL int go_resume(struct machine *m NONNULL);
GLOBAL bool go_called_near(struct machine *m NONNULL, u64 ra);
