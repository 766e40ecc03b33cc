/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Whose memory does the port look at? The current task's; or, compiled with OTHER_TASK, that of a task which is off its
 * CPU, for the reader of an iterator.
 *
 * A task that is not ours is looked up each time, since verified pointers can neither be passed through the core nor
 * kept in maps. The iterator holds it, so its address is no other task's.
 */
#pragma once
#include "bpf/common/task.bpf.h"

#ifdef OTHER_TASK
#include "bpf/common/remote.bpf.h"

#define TARGET_IS_CURRENT 0

extern struct task_struct *bpf_task_from_pid(int pid) __ksym;
extern void bpf_task_release(struct task_struct *t) __ksym;

/* The target, to be given back with target_put(). NULL: it is gone. */
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
