/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The user's registers in the kernel's pt_regs on x86-64, by DWARF number (psABI x86-64 §3.6.2). */
#pragma once
#include "bpf/common/maps.h"

#define NR_EXECVE 59
#define NR_EXECVEAT 322
#define TS_COMPAT 2 /* linux 6.18 arch/x86/include/asm/thread_info.h */
#define NR_RT_SIGRETURN 15
#define X32_RT_SIGRETURN 0x40000201 /* linux 6.18 arch/x86/entry/syscalls/syscall_64.tbl */
#define X32_EXECVE 0x40000208
#define COPY_BYTES 128 /* UPROBE_XOL_SLOT_BYTES (linux 6.18 arch/x86/include/asm/uprobes.h) */

/* What tells where the interrupted code is. */
#define pt_regs_pc(regs) ((regs)->ip)
#define pt_regs_sp(regs) ((regs)->sp)
#define pt_regs_are_user(regs) ((regs)->cs & 3)
#define PT_REGS_WORDS 21 /* of struct pt_regs, and which of them is the PC */
#define PT_REGS_PC 16
#define perf_regs_pc(ctx) ((ctx)->regs.ip)

/* The stack pointer of a task that is off its CPU, in the kernel. */
#define kernel_sp_of(t) ((t)->thread.sp)

/*
 * The current system call, as its number on x86-64. Of those of i386 only execve(), execveat() and sigreturn() are
 * converted; -1: any other, or none. When execve() changes between 64-bit and 32-bit programs, its number changes
 * before the registers do (linux 6.18 arch/x86/kernel/process_64.c, __set_personality_ia32()): so it can be 11, that of
 * i386, in a task with 64-bit registers, and 59 the other way round.
 */
static INLINE u64 call_of(struct task_struct *t, const struct pt_regs *regs)
{
	u64 nr = regs->orig_ax;

	if (regs->cs != USER32_CS && !(t->thread_info.status & TS_COMPAT))
		return nr == X32_RT_SIGRETURN ? NR_RT_SIGRETURN : nr == X32_EXECVE ? NR_EXECVE : nr;
	switch (nr) {
	case 11:
	case NR_EXECVE: return NR_EXECVE;
	case 358: return NR_EXECVEAT;
	case 119:
	case 173: return NR_RT_SIGRETURN;
	}
	return -1ULL;
}

/* The number of the system call that was made as it is in @regs; negative: none. */
static INLINE u64 call_number(const struct pt_regs *regs)
{
	return regs->orig_ax;
}

/* Is the current system call, of @regs, one of those that ftrace has events for? It has none for calls of i386 and x32. */
static INLINE bool call_has_events(struct task_struct *t, const struct pt_regs *regs)
{
	return !(t->thread_info.status & TS_COMPAT);
}

/* The arguments of the system call that @regs make. */
static INLINE void call_arguments(u64 ret[CALL_ARGUMENTS], const struct pt_regs *regs)
{
	ret[0] = regs->di;
	ret[1] = regs->si;
	ret[2] = regs->dx;
	ret[3] = regs->r10;
	ret[4] = regs->r8;
	ret[5] = regs->r9;
}

/* Copy @regs of @t, which is the current task or off CPU, to @ret; except the PC, which the caller knows better: @pc. */
static INLINE void registers_copy(struct registers *ret, struct task_struct *t, const struct pt_regs *regs, u64 pc)
{
	ret->reg[RAX] = regs->ax;
	ret->reg[RDX] = regs->dx;
	ret->reg[RCX] = regs->cx;
	ret->reg[RBX] = regs->bx;
	ret->reg[RSI] = regs->si;
	ret->reg[RDI] = regs->di;
	ret->reg[RBP] = regs->bp;
	ret->reg[RSP] = regs->sp;
	ret->reg[R8] = regs->r8;
	ret->reg[R9] = regs->r9;
	ret->reg[R10] = regs->r10;
	ret->reg[R11] = regs->r11;
	ret->reg[R12] = regs->r12;
	ret->reg[R13] = regs->r13;
	ret->reg[R14] = regs->r14;
	ret->reg[R15] = regs->r15;
	ret->reg[RIP] = pc;
	ret->reg[CS] = regs->cs;
}

/* Was @ip interrupted while the user's registers were being saved, on a machine where they are saved in such code? */
static INLINE bool is_saving_registers(u64 ip)
{
	const volatile struct kernel_text *entry = &config.places.entry, *noinstr = &config.places.noinstr_text;

	/*
	 * Some registers are saved in noinstr code: sync_regs() copies those of an interrupt from another stack, and FRED's
	 * entry code is there. Where kallsyms does not show the addresses, any kernel code may be such code.
	 */
	return (s64)ip < 0 && (!noinstr->end || ip - entry->start < entry->end - entry->start ||
			       ip - noinstr->start < noinstr->end - noinstr->start);
}

/* May an NMI have interrupted the code that saves the user's registers? */
#define NMI_MAY_FIND_TORN_REGISTERS 1

/* After sysenter: rip is not saved by entry code, but after it. */
static INLINE bool registers_are_torn(const struct registers *r)
{
	return r->reg[CS] == USER32_CS && !r->reg[RIP];
}
