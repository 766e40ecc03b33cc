/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reading the target's memory where we may sleep.
 *
 * Waiting for a page can take for ever: userfaultfd and FUSE let a process decide when a page comes. The task would
 * hang on its way back to user mode, inside our callback, and with it every detach of a BPF program from a uprobe on
 * the machine. So memory is first read without faulting. Only if that fails, and the page is of a kind that no user
 * can hold back, it is faulted in.
 */
#include "bpf/common/port.bpf.h"

CORE int port_fetch(void *dst, u32 len, u64 addr)
{
	return bpf_copy_from_user(dst, len, (const void *)addr) ? -EFAULT : 0;
}

const volatile u32 lock_looks SEC(".rodata.lock") CORE = 200000; /* about a millisecond */
