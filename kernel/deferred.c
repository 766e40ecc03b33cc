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
#include "visit.h"

#define DUE 1024  /* walks at a time */
#define PLACES 16 /* places where a task's walk may be */

/* A pending walk. It belongs to the task that claimed it, and to the interrupts on top of it. */
static struct due {
	struct callback_head work;
	u32 is_claimed;
	bool torn; /* requested by an NMI, perhaps while entry code was still saving the registers */
	u64 cookie;
	struct entry_registers from; /* at the request: a signal may come before the walk */
	struct mm_struct *mm;
	u64 exec_id;
} due[DUE];

static struct due *claim(void)
{
	u32 first = hash_ptr(current, ilog2(DUE));

	for (u32 i = 0; i < PLACES; i++) {
		struct due *d = &due[(first + i) % DUE];

		if (!cmpxchg(&d->is_claimed, 0, 1))
			return d;
	}
	return NULL;
}

static void release(struct due *d)
{
	smp_store_release(&d->is_claimed, 0);
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
 * Walk, on the way back to user mode: may sleep. Requests until visit_executed() are answered by this walk, too; those after
 * it, in bpf_dusk_unwound() and later on this way, get 2, or each of them would bring the next one about.
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
	visit_executed(cookie);
	bpf_dusk_unwound(cookie, frames, how.nr, how.outcome);
	if (!IS_ERR(w))
		walker_release(w);
	module_put(THIS_MODULE); /* deferred_end() waits for the rest of this function */
}

/* Note in @d what the walk starts from. Returns 0, or -EINVAL: there is no user stack. */
static int fill(struct due *d)
{
	u32 none = registers_of_entry(&d->from);

	d->torn = in_nmi();
	if (none && !(d->torn && none == EXEC_NEW))
		return -EINVAL;
	d->mm = current->mm;
	d->exec_id = current->self_exec_id;
	return 0;
}

static int queue(struct due *d)
{
	int err;

	d->cookie = visit_cookie();
	init_task_work(&d->work, walk_due);
	__module_get(THIS_MODULE); /* the program that asks holds the module already */
	err = task_work_add(current, &d->work, d->torn ? TWA_NMI_CURRENT : TWA_RESUME);
	if (err) {
		visit_withdraw();
		module_put(THIS_MODULE);
	}
	return err;
}

/* Returns what has become of this visit's request, or, if this is the first one, 0 or a negative errno. */
static int request(struct due *d)
{
	int err = fill(d);
	enum visit_state before = err ? VISIT_NEW : visit_request();

	if (!err && before == VISIT_NEW)
		err = queue(d);
	if (err || before != VISIT_NEW) /* an interrupt has requested it meanwhile */
		release(d);
	return err ?: before;
}

int deferred_ask(u64 *cookie)
{
	int ret = visit_state();

	*cookie = 0;
	if (current->flags & PF_EXITING)
		return -ESRCH;
	if (ret == VISIT_NEW) {
		struct due *d = claim();

		ret = d ? request(d) : -ENOSPC;
	}
	if (ret >= 0)
		*cookie = visit_cookie();
	return ret;
}

void deferred_end(void)
{
	synchronize_rcu_tasks();
}
