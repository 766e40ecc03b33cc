/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The kernel's pt_regs, by DWARF number (psABI x86-64 §3.6.2). */
#pragma once
#include "bpf/common/maps.h"
#include <bpf/bpf_core_read.h>

#define NR_EXECVE 59
#define NR_EXECVEAT 322
#define TS_COMPAT 2 /* linux 6.18 arch/x86/include/asm/thread_info.h */
#define NR_RT_SIGRETURN 15
#define X32_RT_SIGRETURN 0x40000201 /* linux 6.18 arch/x86/entry/syscalls/syscall_64.tbl */
#define X32_EXECVE 0x40000208
#define COPY_BYTES 128 /* UPROBE_XOL_SLOT_BYTES (linux 6.18 arch/x86/include/asm/uprobes.h) */

/* Where the program believes to be: @ip, or what it is a copy of. There is no CFI for copies. */
static INLINE u64 original_ip(struct task_struct *t, u64 ip)
{
	struct uprobe_task *probed;
	u64 copy, into;

	if (!bpf_core_field_exists(t->utask))
		return ip;
	probed = t->utask;
	if (!probed)
		return ip;
	copy = probed->xol_vaddr;
	into = ip - copy;
	return copy && into < COPY_BYTES ? probed->vaddr + into : ip;
}

/*
 * The system call by its number on x86-64; of those of i386 only what we know, -1: any other, or none. While execve()
 * goes over to a program of the other kind, its number does so before the registers do (linux 6.18
 * arch/x86/kernel/process_64.c, __set_personality_ia32()): 11 is that of i386 then, in a task that has 64-bit
 * registers, and 59 the other way round.
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

/* @regs: of @t, which is the current task, or off its CPU. */
static INLINE void registers_take(struct registers *ret, struct task_struct *t, const struct pt_regs *regs)
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
	ret->reg[RIP] = original_ip(t, regs->ip);
	ret->reg[CS] = regs->cs;
	ret->orig_ax = call_of(t, regs);
	regs_settle(ret->reg);
}

/* What the walk of @t starts from. @ip: of the kernel's code that was interrupted by who asks; 0: of none. */
static INLINE void registers_keep(struct task_state *st, struct task_struct *t, u64 ip)
{
	const volatile struct kernel_text *entry = &config.places.entry;

	/* Where kallsyms does not say where entry code is, all of the kernel's code may be it. */
	st->torn = entry->end ? ip >= entry->start && ip < entry->end : (s64)ip < 0;
	st->mm = (u64)t->mm;
	st->exec_id = t->self_exec_id;
	registers_take(&st->asked, t, (struct pt_regs *)bpf_task_pt_regs(t));
	if (st->asked.reg[CS] == USER32_CS && !st->asked.reg[RIP])
		st->torn = 1; /* sysenter: rip is not saved by entry code, but behind it */
}
