/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * core/port.h for a task other than the current one: port.bpf.c compiled with OTHER_TASK, and its port_fetch().
 *
 * Another task's memory cannot be read without faulting. So each read first checks what is mapped there; read.bpf.c
 * says which pages are never waited for. (One file, because the linker of libbpf 1.1 cannot join two that name the same
 * kfunc.)
 */
#define OTHER_TASK
#include "bpf/common/port.bpf.c"

CORE int port_fetch(void *dst, u32 len, u64 addr)
{
	struct task_struct *t = target_get();
	int err = -EFAULT;

	if (!t)
		return err;
	if (!bpf_copy_from_user_task(dst, len, (const void *)addr, t, 0))
		err = 0;
	target_put(t);
	return err;
}

const volatile u32 lock_looks SEC(".rodata.lock") CORE = 100;
