/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "registers.h"
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/uprobes.h>
#include <asm/syscall.h>
#include "../src/abi/outcome.h"

#define SYSCALL_BYTES 2

/*
 * Return where the program is for itself: @ip, or the original of the copy that a uprobe executes. Copies have no CFI.
 */
static u64 original_ip(u64 ip)
{
	const struct uprobe_task *probed = current->utask;
	u64 into;

	if (!probed || !probed->xol_vaddr)
		return ip;
	into = ip - probed->xol_vaddr;
	return into < UPROBE_XOL_SLOT_BYTES ? probed->vaddr + into : ip;
}

/* Is this sigreturn()? It never returns behind its instruction, where there is no CFI. */
static bool leaves_a_handler(const struct pt_regs *regs)
{
	u64 nr = regs->orig_ax;

	if (regs->cs != __USER32_CS && !(current_thread_info()->status & TS_COMPAT))
		return nr == 15 || nr == 0x40000201; /* linux 7.2 syscall_64.tbl, rt_sigreturn */
	return nr == 119 || nr == 173;		     /* syscall_32.tbl, and sigreturn */
}

u32 registers_of_entry(struct entry_registers *ret)
{
	struct pt_regs *regs = task_pt_regs(current);

	if (current->flags & (PF_KTHREAD | PF_USER_WORKER | PF_IO_WORKER))
		return KERNEL_THREAD;
	if (!current->mm)
		return EXITED;
	if (current->in_execve || !user_mode(regs)) /* execve() replaces the memory first, the registers last */
		return EXEC_NEW;
	*ret = (struct entry_registers){
		.ax = regs->ax,
		.dx = regs->dx,
		.cx = regs->cx,
		.bx = regs->bx,
		.si = regs->si,
		.di = regs->di,
		.bp = regs->bp,
		.sp = regs->sp,
		.r8 = regs->r8,
		.r9 = regs->r9,
		.r10 = regs->r10,
		.r11 = regs->r11,
		.r12 = regs->r12,
		.r13 = regs->r13,
		.r14 = regs->r14,
		.r15 = regs->r15,
		.ip = original_ip(regs->ip),
		.cs = regs->cs,
	};
	if (leaves_a_handler(regs))
		ret->ip -= SYSCALL_BYTES;
	return 0;
}
