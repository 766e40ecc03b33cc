/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Is a walk late when it was begun too long ago, and at no other time? (All orders: tests/model.) */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/watch.h"

static void a_walker_is_one_walks_at_a_time(void **state)
{
	struct walker_head w = {0};

	assert_true(watch_claim(&w, 7));
	assert_false(watch_claim(&w, 8));
	watch_release(&w);
	assert_true(watch_claim(&w, 8));
}

static void a_walk_is_late_when_it_was_begun_before(void **state)
{
	struct walker_head w = {0};
	u64 since;

	watch_claim(&w, 7);
	watch_begin(&w, 100);
	assert_int_equal(watch_late(&w, 100, &since), 0);
	assert_int_equal(watch_late(&w, 101, &since), 7);
	assert_int_equal(since, 100);
	assert_true(watch_is_still(&w, since));
}

static void a_free_walker_is_never_late(void **state)
{
	struct walker_head w = {0};
	u64 since;

	assert_int_equal(watch_late(&w, ~0ULL, &since), 0);
	watch_claim(&w, 7);
	watch_begin(&w, 100);
	watch_release(&w);
	assert_int_equal(watch_late(&w, ~0ULL, &since), 0);
}

static void nor_is_a_walk_that_has_no_time_yet(void **state)
{
	struct walker_head w = {0};
	u64 since;

	watch_claim(&w, 7);
	assert_int_equal(watch_late(&w, ~0ULL, &since), 0);
}

static void the_next_walk_is_another_one(void **state)
{
	struct walker_head w = {0};
	u64 since;

	watch_claim(&w, 7);
	watch_begin(&w, 100);
	watch_late(&w, 200, &since);
	watch_release(&w);
	assert_false(watch_is_still(&w, since));
	watch_claim(&w, 7);
	watch_begin(&w, 300);
	assert_false(watch_is_still(&w, since));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_walker_is_one_walks_at_a_time),
		cmocka_unit_test(a_walk_is_late_when_it_was_begun_before),
		cmocka_unit_test(a_free_walker_is_never_late),
		cmocka_unit_test(nor_is_a_walk_that_has_no_time_yet),
		cmocka_unit_test(the_next_walk_is_another_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
