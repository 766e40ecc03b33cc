/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Registry and grace period under four real threads: three act for consumers, and one lets consumers come and go. Does
 * a program that finds a consumer find it intact for as long as it is inside? As many consumers and finders as
 * it takes.
 */
#include "threads.h"
#include "core/shared/registry.h"

#define CONSUMERS 100
#define SLOTS 2

static struct registry registry;
static u32 handle_of[SLOTS], done;
static u64 acts;

static u32 flags_of(u32 generation)
{
	return generation * 0x9E3779B1u | 1;
}

/* The words that are looked at are not atomic: it is for the grace period to keep them still. */
static uintptr_t act_for(u32 slot)
{
	const struct consumer *c = &registry.consumer[slot];
	u32 cpu = (uintptr_t)pthread_self() >> 12, phase = grace_enter(&registry.grace, cpu);
	u32 handle = load_acquire(&handle_of[slot]);
	uintptr_t wrong = 0;

	if (registry_has(&registry, handle)) {
		wrong += c->flags != flags_of(consumer_generation(handle));
		sched_yield();
		wrong += c->tool != c->flags + slot;
		fetch_add(&acts, 1);
	}
	grace_leave(&registry.grace, cpu, phase);
	return wrong;
}

static void come_and_go(u32 slot)
{
	struct consumer *c = &registry.consumer[slot];
	u32 generation = c->generation + 1, begun;

	c->flags = flags_of(generation);
	c->tool = c->flags + slot;
	store_release(&c->generation, generation);
	store_release(&handle_of[slot], consumer_handle(slot, generation));
	sched_yield();
	store_release(&handle_of[slot], 0);
	store_release(&c->generation, generation + 1);
	begun = grace_begin(&registry.grace);
	while (!grace_has_passed(&registry.grace, begun))
		sched_yield();
	c->flags = c->tool = 0;
}

static void *act(void *arg)
{
	uintptr_t me = (uintptr_t)arg, wrong = 0;

	if (!me) {
		for (u32 i = 0; i < CONSUMERS || load_relaxed(&acts) < CONSUMERS; i++)
			come_and_go(i % SLOTS);
		store_release(&done, 1);
	}
	while (me && !load_acquire(&done))
		wrong += act_for(me % SLOTS);
	return (void *)wrong;
}

static void a_consumer_stays_intact_until_all_have_left_it(void **state)
{
	run_threads(act);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_consumer_stays_intact_until_all_have_left_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
