/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Halt a thread with ptrace(2), so that its registers and its stack can be read without changing meanwhile.
 *
 * The thread is stopped from halt_begin() to halt_end(). A system call in which it sleeps is restarted afterwards, as
 * after SIGSTOP and SIGCONT.
 */
#pragma once
#include <dusk/dusk.h>
#include <sys/user.h>
#include "abi/types.h"

/*
 * Halt thread @tid, and write its registers to @regs in the order of core/arch/regs.h.
 * Returns 0, -ESRCH (the thread is gone), -EPERM (no permission, or another debugger is attached), or -ETIMEDOUT (the
 * thread sleeps uninterruptibly in the kernel).
 */
int halt_begin(pid_t tid, u64 *regs, struct dusk_error *err);
void halt_end(pid_t tid);

/* Convert the registers of ptrace(2) to the order above. */
void halt_registers(u64 *ret, const struct user_regs_struct *r);

/*
 * Read the registers of @tid, which is halted, with PTRACE_GETREGSET; those of a 32-bit task as if it were a 64-bit
 * one.
 * Returns 0 or a negative errno.
 */
int halt_read(pid_t tid, struct user_regs_struct *ret);
