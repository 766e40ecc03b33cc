/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The signs of a visit to the kernel on x86-64.
 *
 * Linux 6.18 mixes the time stamp counter into a number of the task (kstack_offset) on each way to user mode,
 * from system calls, exceptions and interrupts, to shift the kernel stack in the next system call:
 * arch_exit_to_user_mode_prepare() (arch/x86/include/asm/entry-common.h). The same number means the same visit, with an
 * error of one in 4 billion. It stays 0 where randomize_kstack_offset is off.
 */
#pragma once
#include "bpf/common/registers.bpf.h"
#include "core/shared/visit.h"

/*
 * Set when a task leaves its CPU, and cleared when it goes to user mode (linux 6.18 arch/x86/include/asm/fpu/sched.h
 * and entry-common.h); this bit since 6.18 (asm/thread_info.h).
 */
#define TIF_NEED_FPU_LOAD 19

/* Is @t in a system call that has no result yet? */
static INLINE bool is_in_call(const struct pt_regs *regs)
{
	return (s64)regs->orig_ax >= 0 &&
	       (s64)regs->ax == -ENOSYS; /* as entry code sets it (arch/x86/entry/entry_64.S) */
}

/*
 * The user's registers as a number: within a visit it changes only when the system call has its result, when a signal is
 * delivered, execve() begins a program, or a debugger writes to them. Without flags, of which the kernel sets one for a single
 * step.
 */
static INLINE u64 mix_of_registers(const struct pt_regs *regs)
{
	u64 mix = visit_mix(visit_mix(regs->ip, regs->sp), regs->bp);

	mix = visit_mix(visit_mix(visit_mix(mix, regs->ax), regs->bx), regs->cx);
	mix = visit_mix(visit_mix(visit_mix(mix, regs->dx), regs->si), regs->di);
	mix = visit_mix(visit_mix(visit_mix(mix, regs->r8), regs->r9), regs->r10);
	mix = visit_mix(visit_mix(visit_mix(mix, regs->r11), regs->r12), regs->r13);
	return visit_mix(visit_mix(mix, regs->r14), regs->r15);
}

/* Has @t not been in user mode since it last left its CPU? False if that is unknown. */
static INLINE bool was_kept(struct task_struct *t)
{
	return t->thread_info.flags >> TIF_NEED_FPU_LOAD & 1;
}

/* Does this kernel give each visit a number of its own? Then it is in @ret. */
static INLINE bool visit_has_sign(struct task_struct *t, u32 *ret)
{
	if (!bpf_core_field_exists(t->kstack_offset))
		return false;
	*ret = t->kstack_offset;
	return true;
}
