/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "deferred.h"
#include <linux/btf.h>
#include <linux/err.h>
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/task_work.h>
#include "../src/abi/config.h"
#include "../src/abi/outcome.h"

#define DUE 1024  /* walks at a time */
#define PLACES 16 /* places where a task's walk may be */

/* A pending walk. It belongs to @task, and to the interrupts on top of it. */
static struct due {
	struct callback_head work;
	struct task_struct *task;    /* NULL: it is free */
	u64 cookie;		     /* 0: it is still being filled */
	struct entry_registers from; /* at the request: a signal may come before the walk */
	bool torn;		     /* requested by an NMI, perhaps while entry code was still saving the registers */
	struct mm_struct *mm;
	u64 exec_id;
} due[DUE];

static atomic64_t given; /* cookies given out */

static struct due *place(u32 turn)
{
	return &due[(hash_ptr(current, ilog2(DUE)) + turn) % DUE];
}

static struct due *find(void)
{
	for (u32 i = 0; i < PLACES; i++)
		if (READ_ONCE(place(i)->task) == current)
			return place(i);
	return NULL;
}

static struct due *claim(void)
{
	for (u32 i = 0; i < PLACES; i++)
		if (!cmpxchg(&place(i)->task, NULL, current))
			return place(i);
	return NULL;
}

static void release(struct due *d)
{
	WRITE_ONCE(d->cookie, 0);
	smp_store_release(&d->task, NULL);
}

__bpf_hook_start();

__used noinline void bpf_dusk_unwound(u64 cookie, const u64 *frames, u32 nr, u32 outcome)
{
	asm volatile("");
}

__bpf_hook_end();

/* Get the registers to walk from. Returns 0, or the outcome that says why there is nothing to walk. */
static u32 start_from(const struct due *d, struct entry_registers *ret)
{
	if (!current->mm)
		return EXITING;
	if (d->mm != current->mm)
		return EXEC;
	if (d->exec_id != current->self_exec_id)
		return EXEC_NEW;
	*ret = d->from;
	return d->torn ? registers_of_entry(ret) : 0;
}

/*
 * Walk, on the way back to user mode: may sleep. Requests that come before the place is released are answered by this
 * walk, too.
 */
static void walk_due(struct callback_head *work)
{
	struct due *d = container_of(work, struct due, work);
	struct walker *w = walker_claim();
	struct bpf_dusk_stack how = {};
	struct entry_registers from;
	const u64 *frames = NULL;
	u64 cookie = d->cookie;

	how.outcome = IS_ERR(w) ? NO_WALKER : start_from(d, &from);
	if (!how.outcome) {
		here_walk(w, &from, MAX_DEPTH, &how);
		walking_frames(w->walk, &frames);
	}
	release(d);
	bpf_dusk_unwound(cookie, frames, how.nr, how.outcome);
	if (!IS_ERR(w))
		walker_release(w);
	module_put(THIS_MODULE); /* deferred_end() waits for the rest of this function */
}

/* Fill @d and queue it. Returns 0 or a negative errno. */
static int queue(struct due *d, u64 *cookie)
{
	u32 none = registers_of_entry(&d->from);
	u64 fresh;

	d->torn = in_nmi();
	if (none && !(d->torn && none == EXEC_NEW))
		return -EINVAL;
	d->mm = current->mm;
	d->exec_id = current->self_exec_id;
	fresh = atomic64_inc_return(&given);
	*cookie = fresh; /* not read again, as it may be shared memory */
	smp_store_release(&d->cookie, fresh);
	init_task_work(&d->work, walk_due);
	return task_work_add(current, &d->work, d->torn ? TWA_NMI_CURRENT : TWA_RESUME);
}

int deferred_ask(u64 *cookie)
{
	struct due *d = find();
	u64 pending;
	int err;

	*cookie = 0;
	if (current->flags & PF_EXITING)
		return -ESRCH;
	if (d) {
		pending = smp_load_acquire(&d->cookie);
		*cookie = pending;
		return pending ? 1 : -EAGAIN;
	}
	d = claim();
	if (!d)
		return -ENOSPC;
	__module_get(THIS_MODULE); /* the program that asks holds the module already */
	err = queue(d, cookie);
	if (!err)
		return 0;
	*cookie = 0;
	release(d);
	module_put(THIS_MODULE);
	return err;
}

void deferred_end(void)
{
	synchronize_rcu_tasks();
}
