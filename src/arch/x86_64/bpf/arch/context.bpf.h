/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Of a task: its thread pointer, and the preemption count, which on x86 is a variable of each CPU. */
#pragma once
#include "bpf/common/maps.h"

/*
 * Return the preemption count of this CPU, 0 if it is unknown. It is found by its distance from the CPU's run queue, which
 * the current task @t is on. Without CONFIG_KALLSYMS_ALL programs cannot name per-CPU variables, but their distance is
 * known from BTF.
 */
static INLINE u32 preempt_count(struct task_struct *t)
{
	u32 count = 0;

	if (config.preempt_count)
		bpf_probe_read_kernel(&count, sizeof(count), (void *)t->se.cfs_rq->rq + config.preempt_count);
	return count;
}

/* Return the thread pointer of @t, which is the current task, or off CPU: what pthread_self() says (glibc, musl). */
static INLINE u64 thread_pointer(struct task_struct *t)
{
	return t->thread.fsbase;
}
