/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Whether the time of threads is accounted for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>
#include "folded_profile.h"
#include "report/model/time_balance.h"

#define MS 1000000ULL

static void sleeps(struct folded *f, const char *comm, uint64_t ns)
{
	folded_interval(f, comm, (struct dusk_sample){.state = 1, .value_ns = ns, .runnable_ns = ns / 4, .count = 2},
			"m!f");
}

static struct time_balance of(struct folded *f, struct dusk_thread_times *lives, uint32_t nr)
{
	struct time_balance a;

	f->profile.thread_times = lives;
	f->profile.nr_thread_times = nr;
	assert_int_equal(time_balance_init(&a, &f->profile), 0);
	return a;
}

static void what_threads_did_comes_to_their_lives(void **state)
{
	struct folded *f = *state;
	struct dusk_thread_times lives[] = {
		{0, 0, 100 * MS, 60 * MS, 10 * MS, 30 * MS, 4},
		{1, 50 * MS, 60 * MS, 4 * MS, 0, 6 * MS, 2},
	};
	struct time_balance a;

	folded_add(f, "a", "outermost", 7, "m!f"); /* ticks are no part of it */
	sleeps(f, "a", 25 * MS);
	sleeps(f, "b", 6 * MS);
	sleeps(f, "a", 15 * MS);
	a = of(f, lives, 2);
	assert_int_equal(a.nr, 2);
	assert_int_equal(a.nr_missing, 0);
	assert_int_equal(a.life_ns, 110 * MS);
	assert_true(time_balance_percent(&a) == 100);
	assert_int_equal(a.states[1].ns, 46 * MS);
	assert_int_equal(a.states[1].count, 6);
	time_balance_done(&a);
}

static void too_little_is_missing_and_so_is_too_much(void **state)
{
	struct folded *f = *state;
	struct dusk_thread_times lives[] = {
		{0, 0, 100 * MS, 60 * MS}, {1, 0, 100 * MS, 60 * MS}, {2, 0, 100 * MS, 60 * MS}};
	struct time_balance a;

	sleeps(f, "whole", 40 * MS - 100000); /* 0.1 % is nothing */
	sleeps(f, "little", 30 * MS);
	sleeps(f, "much", 60 * MS);
	a = of(f, lives, 3);
	assert_int_equal(a.nr_missing, 2);
	assert_int_equal(a.threads[0].thread, 2); /* what misses most comes first */
	assert_int_equal(a.threads[1].thread, 1);
	assert_int_equal(time_balance_missing_ns(&a.threads[0]), 20 * MS);
	assert_int_equal(a.accounted_ns, 300 * MS - 30 * MS - 100000);
	time_balance_done(&a);
}

static void a_thread_of_two_names_has_one_life(void **state)
{
	struct folded *f = *state;
	struct dusk_thread_times lives[] = {{1, 0, 100 * MS, 60 * MS}};
	struct time_balance a;

	sleeps(f, "before", 10 * MS);
	sleeps(f, "after", 30 * MS);
	f->profile.threads[1].pid = f->profile.threads[0].pid;
	f->profile.threads[1].tid = f->profile.threads[0].tid;
	a = of(f, lives, 1);
	assert_int_equal(a.nr_missing, 0);
	assert_true(time_balance_percent(&a) == 100);
	time_balance_done(&a);
}

static void without_lives_nothing_is_missing(void **state)
{
	struct time_balance a;

	sleeps(*state, "a", 10 * MS);
	a = of(*state, NULL, 0);
	assert_int_equal(a.nr_missing, 0);
	assert_true(time_balance_percent(&a) == 100);
	time_balance_done(&a);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, folded_begin, folded_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_threads_did_comes_to_their_lives),
		TEST(too_little_is_missing_and_so_is_too_much),
		TEST(a_thread_of_two_names_has_one_life),
		TEST(without_lives_nothing_is_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
