/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Asking for a stack where it cannot be walked: in interrupts, under locks. It is walked once, when the task is about
 * to go back to user mode, for all who have asked during this visit to the kernel.
 *
 * The kernel's own deferral (kernel/unwind/deferred.c) is not for modules, but what it stands on is: task_work_add().
 * Here is as little as a module can do with that.
 */
#pragma once
#include "here.h"

/*
 * Ask for the stack of the current task; any context. *@cookie names the walk, and bpf_dusk_unwound() is called with
 * it. 0: it is queued; 1: it was already. -EINVAL: there is no user stack; -EAGAIN: who was interrupted is just
 * asking for it; -ENOSPC: too many walks are due; -ESRCH: the task exits.
 */
int deferred_ask(u64 *cookie);

/*
 * A walk is over: for BPF programs, and whoever else traces functions. @frames are @nr words as abi/frame.h has them,
 * good until this returns.
 */
void bpf_dusk_unwound(u64 cookie, const u64 *frames, u32 nr, u32 outcome);

/* No walk is due any more, and none runs. May sleep. */
void deferred_end(void);
