/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * core/port.h for a task other than the current one: port.bpf.c compiled with OTHER_TASK, and what reads.
 *
 * Another task's memory cannot be read without faulting. So each read first checks what is mapped there; read.bpf.c
 * says which pages are never waited for. (One file, because the linker of libbpf 1.1 cannot join two that name the same
 * kfunc.)
 */
#define OTHER_TASK
#include "bpf/common/port.bpf.c"

/* A part of port_peek(), verified once. */
GLOBAL int port_may_fault(u64 addr, u32 len)
{
	return may_fault(addr, len);
}

static INLINE int fetch(void *dst, u32 len, u64 addr)
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

/* Sleeps, unlike its namesake in port.bpf.c: there is no other way, and an iterator may. */
CORE int port_peek(void *dst, u32 len, u64 addr)
{
	int err = port_may_fault(addr, len);

	remote.refused = err ?: fetch(dst, len, addr);
	return remote.refused;
}

GLOBAL int port_refuse(u64 addr, u32 len)
{
	return remote.refused;
}

CORE int port_wait(void *dst, u32 len, u64 addr)
{
	return -EACCES;
}

const volatile u32 lock_looks SEC(".rodata.lock") CORE = 100;
