/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The target: the task with the memory that port.bpf.c reads: the current task; or, compiled with OTHER_TASK, a task
 * that is off CPU, for the reader of an iterator.
 *
 * A task other than the current one is looked up each time, since verified pointers can neither be passed through the
 * core nor kept in maps. The iterator holds a reference to it, so no other task has its address.
 */
#pragma once
#include "bpf/common/task.bpf.h"

#ifdef OTHER_TASK
#include "bpf/common/remote.bpf.h"

#define TARGET_IS_CURRENT 0

extern struct task_struct *bpf_task_from_pid(int pid) __ksym;
extern void bpf_task_release(struct task_struct *t) __ksym;

/* Get the target, to be released with target_put(). NULL: it is gone. */
static INLINE struct task_struct *target_get(void)
{
	struct task_struct *t = bpf_task_from_pid(remote.pass.tid);

	if (t && (u64)t != remote.pass.task) {
		bpf_task_release(t);
		return NULL;
	}
	return t;
}

static INLINE void target_put(struct task_struct *t)
{
	bpf_task_release(t);
}

#else

#define TARGET_IS_CURRENT 1

static INLINE struct task_struct *target_get(void)
{
	return bpf_get_current_task_btf();
}

static INLINE void target_put(struct task_struct *t)
{
}
#endif
