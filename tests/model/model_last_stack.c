/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Does each request while a task exits either get its stack under the cookie, or find the stack of that very task?
 *
 * On one CPU: a task, which walks its last stack, and two interrupts on top of it, which ask at any step, also one on
 * top of the other; before it another task had the same place (the same tid), and left what was found there.
 *
 * The orders are the product's own: core/shared/answer.h, last_stack.h and defer.c. tools/mutate breaks them, and this
 * notices.
 */
#include "explore.h"
#include "core/shared/defer.c"
#include "core/shared/answer.h"

enum { TASK, ASKER, OTHER_ASKER, THREADS };

#define OLD 7 /* the task of before, and its stack; they had the same memory */
#define OURS 9
#define MM 1

static struct {
	struct defer defer;
	struct last_stack last_stack;
	struct answer last; /* its stack is that of its task */
	struct visit visit;
	struct grace grace;
	bool has_run[THREADS];
} task;

static struct {
	u64 cookie[THREADS]; /* that who asked waits for; 0: none */
	u64 served;	     /* cookies, a bit each */
	bool wrong;
} truth;

static void reset(void)
{
	memset(&task, 0, sizeof(task));
	memset(&truth, 0, sizeof(truth));
	last_stack_begin(&task.last_stack, OLD, MM, 0);
	resolve_publish(&task.last, 0, OLD, 0, &task.last_stack, &task.visit, NULL, 0);
}

/* As src/bpf/unwind/request.bpf.c. */
static void ask(u32 me)
{
	if (last_stack_is_known(&task.last_stack, OURS, MM, 0, true)) {
		truth.wrong |= load_relaxed(&task.last.stack) != OURS;
		return;
	}
	if (defer_request(&task.defer, me, me, &truth.cookie[me]) == DEFER_CONTENDED)
		truth.cookie[me] = 0;
}

/* As src/bpf/service/task_lifecycle.bpf.c and resolve.bpf.h. */
static void part(void)
{
	u32 phase;
	u64 cookie;

	last_stack_begin(&task.last_stack, OURS, MM, 0);
	resolve_publish(&task.last, 0, OURS, 0, &task.last_stack, &task.visit, NULL, 0);
	if (resolve_take(&task.grace, 0, &phase, &task.defer, &cookie))
		truth.served |= 1ULL << cookie;
	grace_leave(&task.grace, 0, phase);
}

static void thread(u32 me)
{
	task.has_run[me] = true;
	if (me == TASK)
		part();
	else
		ask(me);
}

static bool can_start(u32 me)
{
	return !task.has_run[me];
}

static bool is_right(void)
{
	for (u32 me = ASKER; me < THREADS; me++)
		if (truth.cookie[me] && !(truth.served >> truth.cookie[me] & 1))
			return false;
	return !truth.wrong;
}

int main(void)
{
	struct model m = {
		THREADS,  thread,	    can_start,		 reset,
		is_right, .cpu = {1, 1, 1}, .each_access = true, .part = {PART(task), PART(truth)},
	};

	explore_holds(&m, "a request for a task that exits gets its stack under the cookie or finds it");
	return explore_done();
}
