/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Take a task's user registers from the kernel's pt_regs, by DWARF number (psABI x86-64 §3.6.2). */
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

/* The address of the original instruction: @ip, or the one that @ip is a uprobe's copy of. Copies have no CFI. */
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

/* Copy @regs of @t, which is the current task or off CPU, to @ret. */
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

/* Save in @st what the walk of @t starts from. @ip: the instruction that the requester has interrupted; 0: none. */
static INLINE void registers_keep(struct task_state *st, struct task_struct *t, u64 ip)
{
	const volatile struct kernel_text *entry = &config.places.entry;

	/* Where kallsyms does not show the entry code's addresses, any kernel code may be entry code. */
	st->torn = entry->end ? ip >= entry->start && ip < entry->end : (s64)ip < 0;
	st->mm = (u64)t->mm;
	st->exec_id = t->self_exec_id;
	registers_take(&st->asked, t, (struct pt_regs *)bpf_task_pt_regs(t));
	if (st->asked.reg[CS] == USER32_CS && !st->asked.reg[RIP])
		st->torn = 1; /* sysenter: rip is not saved by entry code, but after it */
}
