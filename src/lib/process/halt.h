/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What are the registers of this thread, and can its stack be read without changing meanwhile?
 *
 * By ptrace(2): the thread stands still from halt_begin() to halt_end(). A system call in which it sleeps is begun
 * anew afterwards, as after SIGSTOP and SIGCONT.
 */
#pragma once
#include <dusk/dusk.h>
#include <sys/user.h>
#include "abi/types.h"

/*
 * Halt thread @tid; its registers go to @regs as core/regs.h numbers them, RAX to CS. -ESRCH: it is gone; -EPERM: it
 * may not be looked at, or another debugger has it; -ETIMEDOUT: it sleeps in the kernel and does not notice.
 */
int halt_begin(pid_t tid, u64 *regs, struct dusk_error *err);
void halt_end(pid_t tid);

/* What ptrace(2) says, to @ret as above. */
void halt_registers(u64 *ret, const struct user_regs_struct *r);

/* PTRACE_GETREGSET of @tid, which is halted: of a 32-bit task as if it were a 64-bit one. 0 or a negative errno. */
int halt_read(pid_t tid, struct user_regs_struct *ret);
