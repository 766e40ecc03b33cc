/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The last stack of a task in its program.
 *
 * Who exits or calls execve() will not see user mode again with the stack it has, and its memory is given up soon,
 * while it may be long at work in the kernel. So the stack is walked just before; who asks later is told what was
 * found.
 *
 * Written by the task itself, and looked at by interrupts on top of it. What was found is published before the walk's
 * cookie is given up (resolve.bpf.h): so who asks in an interrupt is either served with the others, or told.
 */
#pragma once
#include "core/atomic.h"

enum last_stack_state { LAST_STACK_AHEAD, LAST_STACK_WALK, LAST_STACK_KNOWN };

struct last_stack {
	u64 task, mm; /* whose it is, and in which memory it lies */
	u32 exec_id;  /* execve() that came before; tasks and memory are used again */
	u32 state;
};

static INLINE void last_stack_begin(struct last_stack *p, u64 task, u64 mm, u32 exec_id)
{
	store_release(&p->state, LAST_STACK_AHEAD);
	p->task = task;
	p->mm = mm;
	p->exec_id = exec_id;
	store_release(&p->state, LAST_STACK_WALK);
}

/* What was found, if that is what was at work, can be told. */
static INLINE void last_stack_found(struct last_stack *p)
{
	if (load_relaxed(&p->state) == LAST_STACK_WALK)
		store_release(&p->state, LAST_STACK_KNOWN);
}

/* Is it still the stack of @task? While that exits (@exiting), also when its memory is gone. */
static INLINE bool last_stack_is_known(const struct last_stack *p, u64 task, u64 mm, u32 exec_id, bool exiting)
{
	return load_acquire(&p->state) == LAST_STACK_KNOWN && p->task == task && p->exec_id == exec_id &&
	       (exiting || p->mm == mm);
}
