/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Requests for a stack where it cannot be walked: in interrupts, under locks. It is walked once, when the task is about
 * to return to user mode, for all requests during this visit to the kernel.
 *
 * Modules cannot use the kernel's own deferral (kernel/unwind/deferred.c), but they can use task_work_add(), on which
 * it is built. This is the minimum that a module can do with that.
 */
#pragma once
#include "here.h"

/*
 * Request the stack of the current task; any context. *@cookie names this visit to the kernel, for all requests in it, and
 * bpf_dusk_unwound() is called with it once. Returns 0: the walk is queued; 1: it was already pending; 2: it is over, and no
 * other takes place in this visit; -EINVAL: there is no user stack; -ENOSPC: too many walks are pending; -ESRCH: the task
 * exits.
 */
int deferred_ask(u64 *cookie);

/*
 * Called when a walk is over, for BPF programs and other tracers of functions. @frames are @nr words as in abi/frame.h,
 * valid until this returns.
 */
void bpf_dusk_unwound(u64 cookie, const u64 *frames, u32 nr, u32 outcome);

/* Wait until the last walk has ended, when no walk is pending any more. May sleep. */
void deferred_end(void);
