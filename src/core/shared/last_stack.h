/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The last stack of a task in its program.
 *
 * A task that exits or calls execve() does not return to user mode with its present stack, and gives up its memory
 * soon, but may stay in the kernel for long after that. So the stack is walked just before, and later requests get what
 * was found.
 *
 * The task itself writes this, and interrupts on top of it read it. What was found is published before the walk's
 * cookie ends (answer.h): so a request in an interrupt is either resolved with the others, or finds it.
 */
#pragma once
#include "core/atomic.h"

enum last_stack_state { LAST_STACK_AHEAD, LAST_STACK_WALK, LAST_STACK_KNOWN };

struct last_stack {
	u64 task, mm; /* the task of the stack, and the memory that it is in */
	u32 exec_id;  /* counts calls of execve(), as addresses of tasks and memory are reused */
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

/* Publish what was found, if the last stack is what was being walked. */
static INLINE void last_stack_found(struct last_stack *p)
{
	if (load_relaxed(&p->state) == LAST_STACK_WALK)
		store_release(&p->state, LAST_STACK_KNOWN);
}

/* Is the last stack of @task known? While the task exits (@exiting), also when its memory is gone. */
static INLINE bool last_stack_is_known(const struct last_stack *p, u64 task, u64 mm, u32 exec_id, bool exiting)
{
	return load_acquire(&p->state) == LAST_STACK_KNOWN && p->task == task && p->exec_id == exec_id &&
	       (exiting || p->mm == mm);
}
