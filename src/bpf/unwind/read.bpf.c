/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Read the target's memory where sleeping is allowed.
 *
 * The wait for a page may never end: userfaultfd and FUSE let a process decide when a page is provided. The task would
 * hang on its way back to user mode, inside our callback, and so would each detach of a BPF program from a uprobe on
 * the machine. So memory is first read without faulting. The walk waits for a page only if that fails, and no user
 * process can hold a page of this kind back.
 */
#include "bpf/common/port.bpf.h"

CORE int port_wait(void *dst, u32 len, u64 addr)
{
	return bpf_copy_from_user(dst, len, (const void *)addr) ? -EFAULT : 0;
}

const volatile u32 lock_looks SEC(".rodata.lock") CORE = 200000; /* about a millisecond */
