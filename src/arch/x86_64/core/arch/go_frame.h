/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The frame of a function of Go that has switched to another stack. */
#pragma once
#include "core/code/go.h"

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
