/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The signs of a visit to the kernel on arm64: there is none that each visit has. */
#pragma once
#include "bpf/common/registers.bpf.h"
#include "core/shared/visit.h"

/*
 * Is @t in a system call that has no result yet? Its first argument is still in x0 (linux 6.18
 * arch/arm64/kernel/syscall.c, el0_svc_common()). A result may equal it: then the call seems to go on, from before its
 * end until after it, so this does not change within a visit.
 */
static INLINE bool is_in_call(const struct pt_regs *regs)
{
	return regs->syscallno >= 0 && regs->regs[0] == regs->orig_x0;
}

/*
 * The user's registers as a number: within a visit it changes only when the system call has its result, when a signal is
 * delivered, execve() begins a program, or a debugger writes to them.
 */
static INLINE u64 mix_of_registers(const struct pt_regs *regs)
{
	u64 mix = visit_mix(regs->pc, regs->sp);

	for (u32 i = 0; i < 31; i++)
		mix = visit_mix(mix, regs->regs[i]);
	return mix;
}

/* Has @t not been in user mode since it last left its CPU? False: that is unknown. */
static INLINE bool was_kept(struct task_struct *t)
{
	return false;
}

/*
 * Does this kernel give each visit a number of its own? No: linux 6.18 draws the number that shifts the kernel stack at
 * the end of system calls, before task work, and not in interrupts.
 */
static INLINE bool visit_has_sign(struct task_struct *t, u32 *ret)
{
	return false;
}
