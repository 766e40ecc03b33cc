/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What we keep of a task. */
#pragma once
#include "maps.h"

/* The state of the current task: NULL if there is none. */
static INLINE struct task_state *task_find(struct task_struct *t)
{
	u32 tid = t->pid;

	return bpf_map_lookup_elem(&tasks, &tid);
}

/* task.bpf.c: the same, made if need be. NULL: the table is full. Any context. */
CORE struct task_state *task_state(struct task_struct *t);

/* The task @tid is gone, or goes by another tid: close what it still waits for with outcome @why. */
CORE void task_forget(u32 pid, u32 tid, u32 why);

/* Does the recording want samples of this task? */
static INLINE bool task_wanted(struct task_struct *t)
{
	struct wanted_key process = { t->tgid, WANT_PROCESS }, thread = { t->pid, WANT_THREAD };

	if (!t->pid || (u32)t->tgid == config.self_tgid)
		return false;		/* the idle task; ourselves */
	if (config.filter_cgroup && bpf_current_task_under_cgroup(&cgroup, 0) != 1)
		return false;
	if (!config.filter_tasks)
		return true;
	return bpf_map_lookup_elem(&wanted, &process) || bpf_map_lookup_elem(&wanted, &thread);
}

/* Kernel threads, and threads that the kernel made for a process, have no user stack. */
static INLINE bool task_has_no_user(struct task_struct *t)
{
	return t->flags & (PF_KTHREAD | PF_USER_WORKER | PF_IO_WORKER);
}
