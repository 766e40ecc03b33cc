/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The user's registers in the kernel's pt_regs on arm64, by DWARF number (aadwarf64 §4.1). */
#pragma once
#include "bpf/common/maps.h"

/* linux 6.18 include/uapi/asm-generic/unistd.h */
#define NR_EXECVE 221
#define NR_EXECVEAT 281
#define NR_RT_SIGRETURN 139
#define PSR_MODE32 0x10 /* linux 6.18 arch/arm64/include/uapi/asm/ptrace.h, PSR_MODE32_BIT */
#define COPY_BYTES \
	8 /* of the copy of one instruction, and the one behind it, where the PC is until the kernel puts it back */

/* What tells where the interrupted code is. */
#define pt_regs_pc(regs) ((regs)->pc)
#define pt_regs_sp(regs) ((regs)->sp)
#define pt_regs_are_user(regs) \
	(!((regs)->pstate & 15)) /* linux 6.18 arch/arm64/include/uapi/asm/ptrace.h, PSR_MODE_EL0t */
#define PT_REGS_WORDS 34	 /* of struct pt_regs: x0 to x30, sp, pc and pstate, with which it begins */
#define PT_REGS_PC 32
#define perf_regs_pc(ctx) ((ctx)->regs.pc)

/* The stack pointer of a task that is off its CPU, in the kernel. */
#define kernel_sp_of(t) ((t)->thread.cpu_context.sp)

/* The number of the system call that was made as it is in @regs; -1: none, or that of a 32-bit task, which has other numbers. */
static INLINE u64 call_number(const struct pt_regs *regs)
{
	return regs->pstate & PSR_MODE32 ? -1ULL : (s64)regs->syscallno;
}

/* The current system call, in the same way. */
static INLINE u64 call_of(struct task_struct *t, const struct pt_regs *regs)
{
	return call_number(regs);
}

/* Is the current system call, of @regs, one of those that ftrace has events for? It has none for calls of 32-bit tasks. */
static INLINE bool call_has_events(struct task_struct *t, const struct pt_regs *regs)
{
	return !(regs->pstate & PSR_MODE32);
}

/* The arguments of the system call that @regs make; the first is also the result, once there is one. */
static INLINE void call_arguments(u64 ret[CALL_ARGUMENTS], const struct pt_regs *regs)
{
	ret[0] = regs->orig_x0;
	ret[1] = regs->regs[1];
	ret[2] = regs->regs[2];
	ret[3] = regs->regs[3];
	ret[4] = regs->regs[4];
	ret[5] = regs->regs[5];
}

/*
 * Copy @regs of @t, which is the current task or off CPU, to @ret; except the PC, which the caller knows better: @pc. A
 * 32-bit task has other registers: only its PC is kept, so that its stack has one frame.
 */
static INLINE void registers_copy(struct registers *ret, struct task_struct *t, const struct pt_regs *regs, u64 pc)
{
	__builtin_memcpy(ret->reg, regs->regs, sizeof(regs->regs));
	ret->reg[REG_SP] = regs->sp;
	ret->reg[REG_PC] = pc;
	if (regs->pstate & PSR_MODE32)
		ret->reg[REG_SP] = ret->reg[REG_FP] = ret->reg[REG_RA] = 0;
}

/*
 * The user's registers are saved with all interrupts masked, those that stand for NMIs, too, and before any other code
 * (linux 6.18 arch/arm64/kernel/entry.S, kernel_entry). So nothing finds them half saved.
 */
#define NMI_MAY_FIND_TORN_REGISTERS 0

static INLINE bool is_saving_registers(u64 ip)
{
	return false;
}

static INLINE bool registers_are_torn(const struct registers *r)
{
	return false;
}
