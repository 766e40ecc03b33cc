/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Does the watchdog report a walk that does not end only for the process that walks?
 *
 * A process has been walking for long. It releases the walker and exits, and its tid goes to another one, which walks,
 * too; and so does a third one, with another tid. Meanwhile the watchdog looks.
 *
 * The order of the steps is the product's own, core/shared/watchdog.h: tools/mutate breaks it, and this notices.
 */
#include "explore.h"
#include "core/shared/watchdog.h"

#define LATE 1	 /* the first walk was begun then */
#define BEFORE 5 /* and these are late */
#define NOW 10

enum { FIRST, THIRD, WATCHER, THREADS }; /* the first thread is the first process, then the second */

static struct {
	struct walker_head walker;
	u32 process_of[3];  /* by tid */
	u32 named, accused; /* the tid, and the process; 0: nobody */
} shared;

static void reset(void)
{
	memset(&shared, 0, sizeof(shared));
	shared.walker.tid = 1;
	shared.walker.since_ns = LATE;
	shared.process_of[1] = 1;
	shared.process_of[2] = 3;
}

static void walk(u32 tid)
{
	if (!watchdog_claim(&shared.walker, tid))
		return;
	watchdog_begin(&shared.walker, NOW);
	watchdog_release(&shared.walker);
}

static bool look_up(void *process, u32 tid)
{
	shared.named = tid; /* as service_stuck() of src/lib/unwinder/service.c does */
	*(u32 *)process = load_acquire(&shared.process_of[tid]);
	return true;
}

/* As exclude_if_stuck() of src/bpf/service/sweep.bpf.c. */
static void watch(void)
{
	u32 process;

	if (watchdog_accuse(&shared.walker, BEFORE, look_up, &process))
		shared.accused = process;
}

static void thread(u32 me)
{
	if (me == WATCHER) {
		watch();
	} else if (me == THIRD) {
		walk(2);
	} else {
		watchdog_release(&shared.walker);
		store_release(&shared.process_of[1], 2);
		walk(1);
	}
}

static bool is_right(void)
{
	return shared.named <= 1 && shared.accused <= 1;
}

int main(void)
{
	struct model m = {THREADS, thread, NULL, reset, is_right, .part = {PART(shared)}};

	explore_holds(&m, "no process is excluded for the walk of another");
	return explore_done();
}
