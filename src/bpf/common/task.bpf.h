/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The state that is kept for a task. */
#pragma once
#include "bpf/common/maps.h"
#include <bpf/bpf_core_read.h>

/* The state of @t, the current task; NULL: there is none. It may be that of an earlier task with this tid. */
static INLINE struct task_state *task_find(struct task_struct *t)
{
	u32 tid = t->pid;
	struct task_value *v = bpf_map_lookup_elem(&tasks, &tid);

	if (!v)
		return NULL;
	return &opaque(v)->state; /* opaque, or the compiler adds before the NULL check, which the verifier rejects */
}

/* Does @st belong to @t, not to an earlier task with the same tid? */
static INLINE bool task_owns(struct task_struct *t, const struct task_state *st)
{
	return st->task == (u64)t && st->start_boottime == t->start_boottime;
}

/* Is a callback still pending in @st? Then the element must stay. */
static INLINE bool task_has_pending(const struct task_state *st)
{
	return load_relaxed(&st->pending);
}

/* Find the element of @t, or make it. NULL: the table is full. Any context. */
CORE struct task_value *task_value(struct task_struct *t);

/* Is the last stack of @t known, with which it exits or has called execve()? */
static INLINE bool task_has_last_stack(struct task_struct *t, const struct task_state *st)
{
	return last_stack_is_known(&st->last_stack, (u64)t, (u64)t->mm, t->self_exec_id, t->flags & PF_EXITING);
}

/* The number of @t's cgroup of cgroup2; 0: the kernel was built without cgroups. */
static INLINE u64 task_cgroup(struct task_struct *t)
{
	return bpf_core_field_exists(t->cgroups) ? t->cgroups->dfl_cgrp->kn->id : 0;
}

/* Kernel threads, and threads that the kernel made for a process, have no user stack. */
static INLINE bool task_has_no_user(struct task_struct *t)
{
	return t->flags & (PF_KTHREAD | PF_USER_WORKER | PF_IO_WORKER);
}
