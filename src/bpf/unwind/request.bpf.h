/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Asking for the user stack of the current task: <dusk/dusk.bpf.h> says what is promised. */
#pragma once
#include "bpf/common/stackmap.bpf.h"
#include "bpf/common/task.bpf.h"
#include <dusk/dusk.bpf.h>

/* The handle of the consumer that our programs call @number; 0: there is none. */
static INLINE u32 unwind_handle(u32 number)
{
	return load_acquire(&at(consumers_here.handle, number & (MAX_CONSUMERS - 1)));
}

/* dusk_unwind_request_at() by the consumer's handle. */
CORE int unwind_request(u32 handle, u64 ip, struct dusk_unwind *ret);

/* unwind.bpf.c: the task work. */
CORE int unwind_due(struct bpf_map *map, void *key, void *value);

static INLINE int refuse(struct dusk_unwind *ret, u32 why, enum counter counter, int err)
{
	count(counter, 1);
	ret->outcome = why;
	return err;
}

static INLINE bool is_excluded(struct task_struct *t)
{
	u32 tgid = t->tgid;
	u64 *start;

	if (!load_relaxed(&registry.nr_excluded))
		return false;
	start = bpf_map_lookup_elem(&excluded, &tgid);
	return start && *start == t->group_leader->start_boottime;
}

static INLINE int tell_last(const struct task_state *st, struct dusk_unwind *ret)
{
	count(COUNT_AFTERWARDS, 1);
	if (st->last.outcome == STACKMAP_FULL)
		ret->cookie = st->last.cookie; /* under which the frames were sent */
	ret->stack = st->last.stack;
	ret->outcome = st->last.outcome;
	return DUSK_EXECUTED;
}

/* There is no user stack any more. But we may know which one there was. */
static INLINE int ask_without_memory(struct task_struct *t, struct dusk_unwind *ret)
{
	struct task_state *st = task_find(t);

	if (!st || !task_has_last_stack(t, st))
		return refuse(ret, EXITED, COUNT_NO_USER, -EINVAL);
	count(COUNT_REQUESTS, 1);
	return tell_last(st, ret);
}

/*
 * The state of @t, which is asked for its stack: 0 and *@v; or the answer, if there is one without a walk or a refusal.
 */
static INLINE int find_asked(struct task_struct *t, struct task_value **v, struct dusk_unwind *ret)
{
	if (task_has_no_user(t))
		return refuse(ret, KERNEL_THREAD, COUNT_NO_USER, -EINVAL);
	if (!t->mm)
		return ask_without_memory(t, ret);
	count(COUNT_REQUESTS, 1);
	if (is_excluded(t))
		return refuse(ret, EXCLUDED, COUNT_REFUSED_EXCLUDED, -EPERM);
	*v = task_value(t);
	if (!*v)
		return refuse(ret, NO_TASK_STATE, COUNT_REFUSED_NO_STATE, -ENOSPC);
	return task_has_last_stack(t, &(*v)->state) ? tell_last(&(*v)->state, ret) : 0;
}
