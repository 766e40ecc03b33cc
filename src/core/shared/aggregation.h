/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The sums of a task that wait for its user stack, within a visit to the kernel.
 *
 * A consumer adds an amount (nanoseconds, bytes) to a key of its own (a kernel stack's id, say) and the user stack that
 * it requested. A few sums, one for each key, wait here in the memory of the task, under the cookie of the walk that
 * will settle them: no sum can get under another walk's stack.
 *
 * No CPU waits: a caller that finds the list in use, full, or under another cookie keeps the amount elsewhere under its
 * own cookie, and marks the deferral word, so that the walk says which stack that is.
 *
 * One word says which cookie owns the list and whether a CPU is working on it. With two words, a caller that only
 * checks whether there is something to settle could keep out the one that has something to settle.
 */
#pragma once
#include "core/atomic.h"
#include "core/shared/defer.h"

#define TASK_SUMS 8

struct task_sum {
	u64 key, amount, part;
	u32 count;
	u32 consumer; /* its handle, as the sum may outlive it */
};

struct task_sums {
	u64 owner; /* cookie << 1 | the list is in use; 0: there are no sums */
	u32 nr, pad;
	struct task_sum sum[TASK_SUMS];
};

enum {
	SUM_KEPT = 0,	   /* the walk settles it */
	SUM_ELSEWHERE = 1, /* no room: keep it under its cookie, the walk will say which stack it is */
	SUM_LATE = 2,	   /* no room, and no walk will say: the cookie has ended (or the word is contended) */
	SUM_ORPHANED = 4,  /* the cookie has ended, and all sums are the caller's, as after task_sums_take() */
};

/*
 * Add @what to the sum of its consumer and key. @cookie is the one that @what's request got from @d. Returns what
 * became of it; SUM_ORPHANED can be added to each of the others. For the task itself, in any context; constant time.
 */
CORE u32 task_sums_add(struct task_sums *c, struct defer *d, u64 cookie, const struct task_sum *what);

/*
 * Take the sums under @cookie, which is no longer in the deferral word. True: there are some, and they are the caller's
 * until task_sums_release(). For any task.
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
