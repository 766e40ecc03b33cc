/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * When a consumer has left, does no program act for it any more, is nothing of it in a task's word, and does the next
 * consumer in its slot get nothing of it, while another consumer gets all that it requested?
 *
 * On the task's CPU: the task, which delivers whenever a walk is due, and the program that requests, for both consumers,
 * once before and once after the slot has changed hands, on top of it or beside it. On another CPU: the tool that lets
 * the consumer leave, gives its slot to the next, and lets that one leave, too. And another tool, which waits for a
 * grace period of its own at any time.
 *
 * What is in which order is the product's own: core/shared/leave.h, answer.h, defer.c and grace.h. tools/mutate breaks
 * them, and this notices.
 */
#include "explore.h"
#include "core/shared/defer.c"
#include "core/shared/answer.h"
#include "core/shared/leave.h"

#define SLOT 0 /* of the consumer that leaves, and of the next */
#define OTHER 1
#define GENERATIONS 2 /* who have the slot: 1 and 3 */
#define COOKIES 8

enum { SERVER, ASKER, TOOL, HELPER, THREADS };

static bool helped; /* another tool waits for a grace period of its own */
static u32 asks[2]; /* how often for the slot's consumer, and for the other */

static struct registry registry;
static struct {
	struct defer defer;
	u32 handle; /* of the slot's consumer, as its programs know it; 0: none */
	u32 scheduled, walks;
	bool has_run[THREADS];
} shared;

static struct {
	u32 gone; /* the generation that has left last */
	u32 cookies;
	u32 asked_by[COOKIES]; /* in the slot: the generation, by cookie; 0: it has not asked */
	bool asked[COOKIES];   /* and the other */
	bool served[COOKIES];
	bool wrong;
} truth;

static void reset(void)
{
	memset(&registry, 0, sizeof(registry));
	memset(&shared, 0, sizeof(shared));
	memset(&truth, 0, sizeof(truth));
	registry.consumer[SLOT].generation = 1;
	registry.consumer[OTHER].generation = 1;
	shared.handle = consumer_handle(SLOT, 1);
}

static void request(u32 slot, u32 handle)
{
	u32 phase = grace_enter(&registry.grace, 0);
	u64 cookie = 0;

	if (registry_has(&registry, handle)) {
		point();
		if (truth.gone >= consumer_generation(handle) && slot == SLOT)
			truth.wrong = true; /* somebody acts for who has left */
		if (defer_request(&shared.defer, slot, truth.cookies + 1, &cookie) == DEFER_SCHEDULE) {
			truth.cookies++;
			shared.scheduled++;
		}
		if (slot == SLOT)
			truth.asked_by[cookie] = consumer_generation(handle);
		else
			truth.asked[cookie] = true;
	}
	grace_leave(&registry.grace, 0, phase);
}

static void ask(void)
{
	for (u32 i = 0; i < asks[0] || i < asks[1]; i++) {
		u32 handle = load_acquire(&shared.handle);

		if (i < asks[0] && handle)
			request(SLOT, handle);
		if (i < asks[1])
			request(OTHER, consumer_handle(OTHER, 1));
	}
}

static bool is_open(u32 slot)
{
	return load_acquire(&registry.consumer[slot].generation) & 1;
}

/* As src/bpf/unwind/unwind.bpf.h, resolve.bpf.h and consumers.bpf.c. */
static void serve(void)
{
	u64 cookie = 0, consumers = 0;
	u32 phase, generation;

	if (defer_idle(&shared.defer))
		return;
	consumers = resolve_take(&registry.grace, 0, &phase, &shared.defer, &cookie);
	if (consumers >> SLOT & 1 && is_open(SLOT)) {
		generation = registry.consumer[SLOT].generation;
		point();
		if (truth.gone >= truth.asked_by[cookie] || generation > truth.asked_by[cookie])
			truth.wrong = true; /* for who has left, or the next is served for it */
	}
	if (consumers >> OTHER & 1 && is_open(OTHER))
		truth.served[cookie] = true;
	grace_leave(&registry.grace, 0, phase);
}

static int wait_for_grace(struct grace *g)
{
	u32 begun = grace_begin(g);

	while (!grace_has_passed(g, begun))
		;
	return 0;
}

static int sweep(void *ctx, u32 slot)
{
	while (!defer_cancel(&shared.defer, slot))
		;
	return 0;
}

static void leave(u32 generation)
{
	static const struct leaving how = {wait_for_grace, sweep, NULL};

	store_release(&shared.handle, 0);
	leave_close(&registry, SLOT, &how);
	truth.gone = generation;
	if (shared.defer.word >> SLOT & 1)
		truth.wrong = true; /* a bit of it is left */
}

static void tool(void)
{
	leave(1);
	store_release(&registry.consumer[SLOT].generation, 3);
	store_release(&shared.handle, consumer_handle(SLOT, 3));
	leave(3);
}

static void thread(u32 me)
{
	shared.has_run[me] = true;
	if (me == ASKER)
		ask();
	else if (me == TOOL)
		tool();
	else if (me == HELPER)
		wait_for_grace(&registry.grace);
	else
		while (shared.walks < shared.scheduled) {
			shared.walks++;
			serve();
		}
}

static bool can_start(u32 me)
{
	if (me == HELPER && !helped)
		return false;
	return me == SERVER ? shared.walks < shared.scheduled : !shared.has_run[me];
}

static bool is_right(void)
{
	for (u32 cookie = 0; cookie < COOKIES; cookie++)
		if (truth.asked[cookie] && !truth.served[cookie])
			return false;
	return !truth.wrong && !shared.defer.word;
}

int main(void)
{
	struct model m = {
		THREADS, thread,   can_start,
		reset,	 is_right, .part = {{&registry, offsetof(struct registry, again)}, PART(shared), PART(truth)},
	};

	asks[0] = 1;
	explore_holds(
		&m,
		"after a consumer has left nothing is requested for it or delivered to it, nor to the next one for it");
	asks[0] = 2;
	explore_holds(&m, "if the next one asks, too");
	asks[1] = 1;
	explore_holds(&m, "and another one, which stays, gets all that it requested");
	asks[1] = 0;
	asks[0] = 1;
	helped = true;
	explore_holds(&m, "also if another tool waits at the same time, and turns the phase");
	return explore_done();
}
