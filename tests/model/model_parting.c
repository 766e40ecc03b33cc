/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Is who asks while a task exits either served under the cookie of the request, or told the stack of that very task?
 *
 * On one CPU: a task, which walks its last stack, and two interrupts on top of it, which ask at any step, also one on
 * top of the other; before it another task had the same place (the same tid), and left what was found there.
 *
 * And would we notice? The same when it is published that the stack is known only after the cookie has been given up;
 * when it is said before the stack is there; when the place's owner is named while what was found for the last one
 * still counts.
 */
#include "explore.h"
#include "core/defer.c"
#include "core/parting.h"

enum { TASK, ASKER, OTHER_ASKER, THREADS };

#define OLD 7				/* the task of before, and its stack; they had the same memory */
#define OURS 9
#define MM 1

static enum mutation { NONE, KNOWN_LATE, KNOWN_EARLY, NAMED_TOO_EARLY } mutation;

static struct {
	struct defer defer;
	struct parting parting;
	u64 last;			/* the stack that is told */
	bool has_run[THREADS];
} task;

static struct {
	u64 cookie[THREADS];		/* that who asked waits for; 0: none */
	u64 served;			/* cookies, a bit each */
	bool wrong;
} truth;

static void reset(void)
{
	memset(&task, 0, sizeof(task));
	memset(&truth, 0, sizeof(truth));
	parting_begin(&task.parting, OLD, MM, 0);
	task.last = OLD;
	parting_found(&task.parting);
}

/* As src/bpf/request.bpf.c. */
static void ask(u32 me)
{
	if (parting_is_known(&task.parting, OURS, MM, 0, true)) {
		truth.wrong |= load_relaxed(&task.last) != OURS;
		return;
	}
	if (defer_request(&task.defer, me, me, &truth.cookie[me]) == DEFER_CONTENDED)
		truth.cookie[me] = 0;
}

static void begin(void)
{
	if (mutation == NAMED_TOO_EARLY)
		store_release(&task.parting.task, OURS);
	point();
	parting_begin(&task.parting, OURS, MM, 0);
}

/* As src/bpf/life.bpf.c and answer.bpf.h. */
static void part(void)
{
	u64 cookie;

	begin();
	if (mutation == KNOWN_EARLY)
		parting_found(&task.parting);
	store_release(&task.last, OURS);
	if (mutation != KNOWN_LATE)
		parting_found(&task.parting);
	if (defer_take(&task.defer, &cookie))
		truth.served |= 1ULL << cookie;
	parting_found(&task.parting);
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
		THREADS, thread, can_start, reset, is_right,
		.cpu = {1, 1, 1}, .each_access = true,
		.part = {PART(task), PART(truth)},
	};

	explore_holds(&m, "who asks of a task that exits is served or told");
	mutation = KNOWN_LATE;
	explore_catches(&m, "known late, some would wait for ever");
	mutation = KNOWN_EARLY;
	explore_catches(&m, "known early, some would be told another stack");
	mutation = NAMED_TOO_EARLY;
	explore_catches(&m, "named too early, some would be told the stack of who was there before");
	return explore_done();
}
