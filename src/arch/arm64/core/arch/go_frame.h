/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The frame of a function of Go that has switched to another stack. */
#pragma once
#include "core/code/go.h"

/*
 * At m->sp is the frame of a function that switched to its thread's stack: its return address, and below it the caller's
 * x29, which is 0 or points into the same stack, which ends at @end. Returns 0, -EFAULT or -EACCES.
 */
static INLINE int go_leave_frame(struct machine *m, u64 end)
{
	int err = port_read(m->scratch.word, 16, m->sp - 8);

	if (err)
		return err;
	if (m->scratch.word[0] && m->scratch.word[0] + 8 - m->sp >= end - m->sp)
		return -EFAULT;
	holds(m, X29, m->scratch.word[0]);
	m->pc = m->scratch.word[1];
	m->sp += 16;
	return 0;
}
