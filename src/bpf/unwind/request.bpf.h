/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Request the user stack of the current task; <dusk/dusk.bpf.h> documents the interface. */
#pragma once
#include "bpf/common/stackmap.bpf.h"
#include "bpf/common/task.bpf.h"
#include <dusk/dusk.bpf.h>

/* The handle of our consumer @number; 0: there is none. */
static INLINE u32 unwind_handle(u32 number)
{
	return load_acquire(&at(consumers_here.handle, number & (MAX_CONSUMERS - 1)));
}

/* As dusk_unwind_request_at(), with the consumer's handle. */
CORE int unwind_request(u32 handle, u64 ip, struct dusk_unwind *ret);

/* The task work (unwind.bpf.c). */
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

/* The task's memory is gone; answer with its last stack, if that is known. */
static INLINE int ask_without_memory(struct task_struct *t, struct dusk_unwind *ret)
{
	struct task_state *st = task_find(t);

	if (!st || !task_has_last_stack(t, st))
		return refuse(ret, EXITED, COUNT_NO_USER, -EINVAL);
	count(COUNT_REQUESTS, 1);
	return tell_last(st, ret);
}

/*
 * Find or make the state of @t for a request. 0 and *@v; or the answer in @ret and its code, if the request is refused
 * or can be answered without a walk.
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
