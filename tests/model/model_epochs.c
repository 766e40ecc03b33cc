/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * While stacks are put, fresh tables take the place of old ones, and tools take from those: does each id lead to its
 * stack, of the epoch that it names, for a tool that was there all the time?
 *
 * Two programs put a stack each, on CPUs of their own or one as an interrupt of the other, while another thread rolls.
 * Or one does, while a tool takes what is settled, and so gives back the places that rolling needs.
 *
 * The orders are the product's own: core/shared/epochs.h and grace.h. tools/mutate breaks them, and this notices.
 */
#include "explore.h"
#include "core/shared/epochs.h"

#define PUTTERS 2
#define FIRST (EPOCH_TABLES - 1) /* the epoch in which it begins: there is no free place */
#define MAX_ROLLS 2
#define TOOL 1

enum { ROLLER = PUTTERS, THREADS };

static u32 rolls = 1;
static bool alone; /* one program puts a stack, and instead of the other a tool takes; else who rolls does */

static struct {
	struct epochs epochs;
	struct grace grace;
	struct {
		u32 epoch, there; /* there: whose stacks, a bit each; the table itself is model_stacktable.c's */
	} table[EPOCH_TABLES];
	u32 taken[FIRST + MAX_ROLLS + 1]; /* by the tool, by epoch */
	u32 epoch_of[PUTTERS];		  /* what the id says */
	bool wrong;
} shared;

static void reset(void)
{
	memset(&shared, 0, sizeof(shared));
	for (u32 epoch = 0; epoch <= FIRST; epoch++)
		shared.table[epoch_place(epoch)].epoch = epoch;
	shared.epochs.now = shared.epochs.settled = FIRST;
}

/* As stackmap_put() of src/bpf/common/stackmap.bpf.c. */
static void put(u32 me)
{
	u32 phase, place = epochs_enter(&shared.epochs, &shared.grace, 0, &phase);

	fetch_or(&shared.table[place].there, 1u << me);
	shared.epoch_of[me] = load_relaxed(&shared.table[place].epoch);
	grace_leave(&shared.grace, 0, phase);
}

static int wait_for_grace(struct grace *g)
{
	u32 begun = grace_begin(g);

	while (!grace_has_passed(g, begun))
		;
	return 0;
}

static void settled(void *ctx, u32 epoch)
{
}

/* As stackmap_roll() of src/lib/unwinder/stackmap.c. */
static void roll(void)
{
	static const bool tools[EPOCH_TOOLS] = {[TOOL] = true};
	u32 next = shared.epochs.now + 1, place = epoch_place(next);

	while (!epochs_is_free(&shared.epochs, tools, next - EPOCH_TABLES))
		point();
	xchg(&shared.table[place].there, 0);
	xchg(&shared.table[place].epoch, next);
	epochs_begin(&shared.epochs);
	epochs_settle(&shared.epochs, &shared.grace, wait_for_grace, settled, NULL);
}

static void take_from(void *ctx, u32 epoch)
{
	if (load_relaxed(&shared.table[epoch_place(epoch)].epoch) != epoch)
		shared.wrong = true;
	shared.taken[epoch] = load_relaxed(&shared.table[epoch_place(epoch)].there);
}

static void take(void)
{
	epochs_take(&shared.epochs, TOOL, take_from, NULL);
}

static void thread(u32 me)
{
	if (me != ROLLER && (!me || !alone)) {
		put(me);
	} else if (me != ROLLER) {
		while (shared.epochs.wanted[TOOL] < FIRST + rolls) {
			point();
			take();
		}
	} else {
		for (u32 i = 0; i < rolls; i++) {
			if (!alone)
				take();
			roll();
		}
		if (!alone)
			take();
	}
}

static bool is_right(void)
{
	for (u32 i = 0; i < (alone ? 1 : PUTTERS); i++) {
		u32 epoch = shared.epoch_of[i];

		if (epoch < FIRST || epoch > FIRST + rolls)
			return false;
		if (epoch < FIRST + rolls && !(shared.taken[epoch] >> i & 1))
			return false; /* it came after the tool had taken, and is lost */
		if (epoch == FIRST + rolls && !(shared.table[epoch_place(epoch)].there >> i & 1))
			return false;
	}
	return !shared.wrong;
}

int main(void)
{
	struct model m = {THREADS, thread, NULL, reset, is_right, .part = {PART(shared)}};

	explore_holds(&m, "an id of any epoch leads to its stack, whoever rolls and takes meanwhile");
	m.cpu[0] = m.cpu[1] = 1;
	explore_holds(&m, "also if one stack is put in an interrupt of the other");
	m.cpu[0] = m.cpu[1] = 0;
	alone = true;
	rolls = 2;
	explore_holds(&m, "also if a second table comes before it has been put");
	return explore_done();
}
