/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Consumers come and go under load: nothing of one that has left stays or comes, and others miss nothing. */
#include <bpf/bpf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "abi/consumer.h"
#include "abi/state.h"
#include "asker.h"
#include "base/cleanup.h"
#include "core/shared/defer.h"
#include "core/shared/registry.h"
#include "victim.h"

#define ROUNDS 200
#define ALL_WAYS (DUSK_DELIVER_RING | DUSK_DELIVER_SUMS | DUSK_DELIVER_CALLBACK)

#define LAST_COOKIE (~0ULL >> DEFER_BITS)

static struct asker a, b;

static int close_tools(void **state)
{
	asker_close(&a);
	asker_close(&b);
	return 0;
}

/* Consumers' bits in the words of all tasks, read from the maps. */
static uint64_t bits_in_tasks(struct asker *t)
{
	int fd = bpf_object__find_map_fd_by_name(t->obj, "tasks");
	struct bpf_map *map = bpf_object__find_map_by_name(t->obj, "tasks");
	_cleanup_(freep) struct task_head *value = malloc(bpf_map__value_size(map));
	uint32_t key, next, *last = NULL;
	uint64_t bits = 0;

	for (; !bpf_map_get_next_key(fd, last, &next); last = &key) {
		key = next;
		if (!bpf_map_lookup_elem(fd, &key, value))
			bits |= value->deferral & ((1 << MAX_CONSUMERS) - 1);
	}
	return bits;
}

static void whoever_has_left_is_not_served_and_others_miss_nothing(void **state)
{
	struct victim v = victim_start("threads");
	size_t served = 0;

	asker_open(&a, KIND(BY_RAW) | KIND(BY_SWITCH), NULL);
	asker_open(&b, KIND(BY_TICK) | KIND(BY_SWITCH), NULL);
	asker_init(&b, 0, ALL_WAYS);
	asker_attach(&b, BY_TICK, v.pid, 1);
	asker_attach(&b, BY_SWITCH, v.pid, 1);
	asker_attach(&a, BY_RAW, v.pid, 1 << 2);
	asker_attach(&a, BY_SWITCH, v.pid, 1 << 2);
	a.control->keys = 20; /* what a was answered is more than its programs can note, and not looked at */
	for (int i = 0; i < ROUNDS; i++) {
		size_t before;

		asker_init(&a, 2, i % 3 ? ALL_WAYS : DUSK_DELIVER_RING);
		live_sleep_ms(1);
		asker_poll(&a, 0);
		assert_int_equal(dusk_unwind_remove_consumer(a.unwinder, 2), 0);
		before = a.got.nr;
		served += before;
		/* Slot 0 is the consumer of b: only its bit may be there now. */
		assert_int_equal(bits_in_tasks(&a) & ~1ULL, 0);
		asker_poll(&a, 0);
		assert_int_equal(a.got.nr, before);
		a.got.nr = 0;
		asker_poll(&b, 0);
	}
	asker_silence(&a);
	asker_silence(&b);
	victim_end(&v);
	asker_poll(&b, 100);
	print_message("%zu stacks to consumers that came and went\n", served);
	assert_true(served > 0);
	asker_expect(&b, 1, 1);
	assert_int_equal(dusk_unwind_lost(b.unwinder, 0, "lost-stacks"), 0);
	assert_int_equal(asker_counter(&a, "scheduled") + asker_counter(&b, "scheduled") + asker_counter(&b, "unasked"),
			 asker_counter(&b, "walks") + asker_counter(&b, "closed-exiting") +
				 asker_counter(&b, "closed-idle") + asker_counter(&b, "closed-lost") +
				 asker_counter(&b, "closed-no-walker"));
}

static int any_row(void *ctx, const struct dusk_sum *c)
{
	(*(uint64_t *)ctx)++;
	return 0;
}

/* The victim sleeps meanwhile: what the first one had requested and added is still pending. */
static void who_gets_the_place_of_another_gets_nothing_of_it(void **state)
{
	struct victim v = victim_start("read");
	uint64_t rows = 0;

	victim_wait_asleep(&v, v.pid);
	asker_open(&a, KIND(BY_RAW), NULL);
	a.control->keys = 20;
	a.control->again = 19;
	asker_init(&a, 0, ALL_WAYS);
	asker_attach(&a, BY_RAW, v.pid, 1);
	victim_feed(&v, 1);
	live_sleep_ms(50);
	victim_wait_asleep(&v, v.pid);
	asker_silence(&a);
	assert_int_equal(bits_in_tasks(&a), 1);
	assert_int_equal(dusk_unwind_remove_consumer(a.unwinder, 0), 0);
	assert_int_equal(bits_in_tasks(&a), 0);
	asker_init(&a, 0, ALL_WAYS);
	victim_feed(&v, 1);
	asker_poll(&a, 300);
	assert_int_equal(a.got.nr, 0);
	assert_int_equal(dusk_unwind_sums(a.unwinder, 0, any_row, &rows), 0);
	assert_int_equal(rows, 0);
	assert_int_equal(asker_counter(&a, "closed-idle"), 1);
	victim_end(&v);
}

/* Else all later sums of the task would be kept elsewhere. */
static void churn__sums_that_nobody_waits_for_leave_their_task(void **state)
{
	struct victim v = victim_start("read");

	victim_wait_asleep(&v, v.pid);
	asker_open(&a, KIND(BY_RAW), NULL);
	a.control->keys = 4;
	asker_init(&a, 0, ALL_WAYS);
	asker_attach(&a, BY_RAW, v.pid, 1);
	victim_feed(&v, 1);
	victim_wait_fed(&v);
	assert_int_equal(dusk_unwind_remove_consumer(a.unwinder, 0), 0);
	victim_feed(&v, 1);
	victim_wait_fed(&v);
	assert_int_equal(asker_counter(&a, "closed-idle"), 1);
	assert_true(a.control->runs[BY_RAW] > 1);
	assert_int_equal(a.control->sums_owner, 0);
	victim_end(&v);
}

/* Another consumer waits for the same stack, so that the task keeps the sums of the one that has left until it is there. */
static void churn__sums_of_one_that_left_reach_no_other(void **state)
{
	struct victim v = victim_start("read");
	uint64_t rows = 0;

	victim_wait_asleep(&v, v.pid);
	asker_open(&a, KIND(BY_RAW), NULL);
	asker_open(&b, KIND(BY_RAW), NULL);
	a.control->keys = 4;
	a.control->again = 3;
	asker_init(&a, 0, ALL_WAYS);
	asker_init(&b, 0, DUSK_DELIVER_RING);
	asker_attach(&a, BY_RAW, v.pid, 1);
	asker_attach(&b, BY_RAW, v.pid, 1);
	victim_feed(&v, 1);
	live_sleep_ms(50);
	victim_wait_asleep(&v, v.pid);
	asker_silence(&a);
	asker_silence(&b);
	assert_int_equal(bits_in_tasks(&b), 3);
	assert_int_equal(dusk_unwind_remove_consumer(a.unwinder, 0), 0);
	assert_int_equal(bits_in_tasks(&b), 2);
	asker_init(&a, 0, ALL_WAYS); /* in the same slot */
	victim_feed(&v, 1);
	asker_poll_for(&b, 1);
	asker_poll(&a, 100);
	assert_int_equal(b.got.nr, 1);
	assert_int_equal(a.got.nr, 0);
	assert_int_equal(dusk_unwind_sums(a.unwinder, 0, any_row, &rows), 0);
	assert_int_equal(rows, 0);
	victim_end(&v);
}

/* A word with the bit of one that has left, as a request leaves it that was under way meanwhile: it ends when the tid is used again. */
static void churn__a_word_brings_nothing_to_one_that_left(void **state)
{
	struct victim v = victim_start("read");
	_cleanup_(freep) struct registry *r = malloc(sizeof(*r));
	uint32_t zero = 0;
	struct got got;

	assert_non_null(r);
	victim_wait_asleep(&v, v.pid);
	asker_open(&a, KIND(BY_RAW), NULL);
	asker_init(&a, 0, DUSK_DELIVER_RING);
	asker_init(&a, 1, ALL_WAYS); /* in slot 1 */
	asker_attach(&a, BY_RAW, v.pid, 1);
	victim_feed(&v, 2);
	victim_wait_fed(&v);
	assert_int_equal(dusk_unwind_remove_consumer(a.unwinder, 1), 0);
	a.control->left_task = 1;
	a.control->left_word = LAST_COOKIE << DEFER_BITS | 3;
	victim_feed(&v, 2);
	victim_wait_fed(&v);
	asker_silence(&a);
	victim_feed(&v, 1);
	asker_poll_for(&a, 5);
	victim_end(&v);
	assert_int_equal(asker_find(&a, LAST_COOKIE, 0, &got), 1);
	assert_int_equal(bpf_map_lookup_elem(bpf_object__find_map_fd_by_name(a.obj, ".bss.registry"), &zero, r), 0);
	assert_false(r->consumer[1].generation & 1);
	assert_int_equal(r->consumer[1].lost_stacks, 0); /* its ring is gone: what is sent there is lost */
}

#define with_tools(f) cmocka_unit_test_teardown(f, close_tools)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		with_tools(whoever_has_left_is_not_served_and_others_miss_nothing),
		with_tools(who_gets_the_place_of_another_gets_nothing_of_it),
		with_tools(churn__sums_that_nobody_waits_for_leave_their_task),
		with_tools(churn__sums_of_one_that_left_reach_no_other),
		with_tools(churn__a_word_brings_nothing_to_one_that_left),
	};

	return ASKER_MAIN(argc, argv, tests);
}
