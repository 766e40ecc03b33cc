/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a task has run up in this visit to the kernel, until its user stack is known.
 *
 * A consumer charges an amount (nanoseconds, bytes) to a key of its own (a kernel stack's id, say) and the user stack
 * that it asked for. A few sums wait here, each key once, in the memory of the task, under the cookie of the walk that
 * will settle them: no sum can come under another walk's stack.
 *
 * Nobody waits: who finds the list taken, full, or of another cookie keeps the charge elsewhere under its own cookie,
 * and marks the deferral word, so that the walk tells which stack that is.
 *
 * One word says whose the list is and whether somebody is at work on it. With two, who only looks whether there is
 * something to settle would keep the one away for whom there is.
 */
#pragma once
#include "core/atomic.h"
#include "core/shared/defer.h"

#define TASK_SUMS 8

struct task_sum {
	u64 key, amount, part;
	u32 count;
	u32 consumer; /* its handle: the sum may outlive it */
};

struct task_sums {
	u64 owner; /* cookie << 1 | somebody is at work; 0: there are no sums */
	u32 nr, pad;
	struct task_sum sum[TASK_SUMS];
};

enum {
	SUM_KEPT = 0,	   /* the walk settles it */
	SUM_ELSEWHERE = 1, /* no room: keep it under its cookie, the walk will tell */
	SUM_LATE = 2,	   /* no room, and nobody will tell: the cookie is given up (or the word contended) */
	SUM_ORPHANED = 4,  /* the cookie is given up, and all sums are the caller's, as by task_sums_take() */
};

/*
 * Add @what to the sum of its consumer and key. @cookie is what @what's request got from @d. Returns what became of it,
 * and SUM_ORPHANED with any of these. By the task itself, any context, constant time.
 */
CORE u32 task_sums_add(struct task_sums *c, struct defer *d, u64 cookie, const struct task_sum *what);

/*
 * Are there sums under @cookie, which is not in the deferral word any more? Then they are the caller's, until
 * task_sums_release(). Any task.
 */
static INLINE bool task_sums_take(struct task_sums *c, u64 cookie)
{
	return cmpxchg(&c->owner, cookie << 1, cookie << 1 | 1) == cookie << 1;
}

static INLINE void task_sums_release(struct task_sums *c)
{
	c->nr = 0;
	xchg(&c->owner, 0);
}
