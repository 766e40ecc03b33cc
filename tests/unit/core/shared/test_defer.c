/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Who gets which stack, as long as one thing happens after the other? (All orders: tests/model.) */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/shared/defer.h"

static void the_first_request_schedules_the_walk_under_its_cookie(void **state)
{
	struct defer d = {0};
	u64 cookie = 0;

	assert_int_equal(defer_request(&d, 0, 7, &cookie), DEFER_SCHEDULE);
	assert_int_equal(cookie, 7);
}

static void later_requests_join_under_the_first_cookie(void **state)
{
	struct defer d = {0};
	u64 cookie = 0;

	for (u32 who = 0; who < DEFER_CONSUMERS; who++) {
		assert_int_equal(defer_request(&d, who, 7 + who, &cookie), who ? DEFER_JOIN : DEFER_SCHEDULE);
		assert_int_equal(cookie, 7);
	}
	assert_int_equal(defer_take(&d, &cookie), DEFER_ALL);
	assert_int_equal(cookie, 7);
}

static void nothing_begins_without_a_fresh_cookie(void **state)
{
	struct defer d = {0};
	u64 cookie = 5;

	assert_int_equal(defer_request(&d, 0, 0, &cookie), DEFER_CONTENDED);
	assert_int_equal(cookie, 5);
	assert_int_equal(defer_request(&d, 0, 7, &cookie), DEFER_SCHEDULE);
	assert_int_equal(defer_request(&d, 1, 0, &cookie), DEFER_JOIN);
	assert_int_equal(cookie, 7);
}

static void a_repeated_request_is_reported_as_one(void **state)
{
	struct defer d = {0};
	u64 cookie = 0;

	defer_request(&d, 3, 7, &cookie);
	defer_request(&d, 5, 8, &cookie);
	assert_int_equal(defer_request(&d, 3, 9, &cookie), DEFER_REPEAT);
	assert_int_equal(cookie, 7);
	assert_int_equal(defer_request(&d, 5, 9, &cookie), DEFER_REPEAT);
	assert_int_equal(defer_take(&d, &cookie), 1 << 3 | 1 << 5);
}

static void taking_starts_afresh(void **state)
{
	struct defer d = {0};
	u64 cookie = 0;

	assert_int_equal(defer_take(&d, &cookie), 0);
	defer_request(&d, 3, 7, &cookie);
	assert_int_equal(defer_take(&d, &cookie), 1 << 3);
	assert_int_equal(cookie, 7);
	assert_int_equal(defer_take(&d, &cookie), 0);
	assert_int_equal(cookie, 0);
	assert_int_equal(defer_request(&d, 3, 8, &cookie), DEFER_SCHEDULE);
	assert_int_equal(cookie, 8);
}

static void cookies_of_all_processors_and_counts_differ_and_are_not_0(void **state)
{
	for (u32 bits = 0; bits < 16; bits++) {
		u64 last = 0;

		for (u64 count = 1; count < 4; count++)
			for (u32 cpu = 0; cpu < 1u << bits; cpu++) {
				u64 cookie = defer_cookie(cpu, bits, count);

				assert_true(cookie > last);
				last = cookie;
			}
		assert_int_equal(defer_cookie(0, bits, 1), 1 << bits);
		assert_int_equal(defer_cookie(1u << bits, bits, 1),
				 0); /* no such CPU: another one's cookies are like that */
	}
}

static void a_processor_that_has_given_out_all_cookies_gives_out_none_twice(void **state)
{
	for (u32 bits = 0; bits < 16; bits++) {
		u64 most = 1ULL << (64 - DEFER_BITS - bits);

		assert_int_equal(defer_cookie(0, bits, most - 1), (most - 1) << bits);
		assert_int_equal(defer_cookie(0, bits, most), 0);
		assert_int_equal(defer_cookie(0, bits, most + 1), 0);
		assert_int_equal(defer_cookie(0, bits, ~0ULL), 0);
	}
}

static void the_largest_cookie_fits_its_bits(void **state)
{
	u64 cookie, largest = defer_cookie(0xff, 8, ~0ULL >> (DEFER_BITS + 8));
	struct defer d = {0};

	assert_int_equal(largest, ~0ULL >> DEFER_BITS);
	assert_int_equal(defer_request(&d, DEFER_CONSUMERS - 1, largest, &cookie), DEFER_SCHEDULE);
	assert_int_equal(cookie, largest);
	assert_int_equal(defer_take(&d, &cookie), 1 << (DEFER_CONSUMERS - 1));
	assert_int_equal(cookie, largest);
}

static void a_consumer_that_leaves_takes_only_its_own_bit(void **state)
{
	struct defer d = {0};
	u64 cookie = 0;

	assert_true(defer_cancel(&d, 3)); /* and nothing, where nobody has asked */
	assert_int_equal(d.word, 0);
	defer_request(&d, 3, 7, &cookie);
	defer_request(&d, 5, 8, &cookie);
	assert_true(defer_cancel(&d, 3));
	assert_true(defer_cancel(&d, 4));
	assert_int_equal(defer_take(&d, &cookie), 1 << 5);
	assert_int_equal(cookie, 7);
}

static void the_last_to_leave_leaves_the_cookie_for_others_to_join(void **state)
{
	struct defer d = {0};
	u64 cookie = 0;

	defer_request(&d, 3, 7, &cookie);
	assert_true(defer_cancel(&d, 3));
	assert_int_equal(defer_request(&d, 5, 8, &cookie), DEFER_JOIN); /* the walk is scheduled, after all */
	assert_int_equal(cookie, 7);
	assert_int_equal(defer_take(&d, &cookie), 1 << 5);
}

static void a_cookie_is_given_up_only_when_all_have_left(void **state)
{
	struct defer d = {0};
	u64 cookie = 0;

	assert_int_equal(defer_idle(&d), 0);
	defer_request(&d, 3, 7, &cookie);
	defer_request(&d, 5, 8, &cookie);
	defer_cancel(&d, 3);
	assert_int_equal(defer_idle(&d), 0);
	assert_true(defer_waits(&d, 7));
	defer_cancel(&d, 5);
	assert_int_equal(defer_idle(&d), 7);
	assert_int_equal(d.word, 0);
	assert_int_equal(defer_idle(&d), 0);
}

static void a_mark_is_returned_with_its_cookie(void **state)
{
	struct defer d = {0};
	u64 cookie = 0;

	defer_request(&d, 3, 7, &cookie);
	assert_true(defer_mark(&d, 7));
	assert_true(defer_mark(&d, 7));
	assert_int_equal(defer_request(&d, 5, 8, &cookie), DEFER_JOIN);
	assert_int_equal(cookie, 7);
	assert_int_equal(defer_take(&d, &cookie), 1 << 3 | 1 << 5 | DEFER_ELSEWHERE);
	assert_int_equal(cookie, 7);
	defer_request(&d, 3, 8, &cookie);
	assert_int_equal(defer_take(&d, &cookie), 1 << 3);
}

static void a_cookie_that_was_given_up_is_not_marked(void **state)
{
	struct defer d = {0};
	u64 cookie = 0;

	assert_false(defer_mark(&d, 7));
	defer_request(&d, 3, 8, &cookie);
	assert_false(defer_mark(&d, 7));
	assert_false(defer_waits(&d, 7));
	assert_int_equal(defer_take(&d, &cookie), 1 << 3);
}

static void a_mark_keeps_no_cookie_alive(void **state)
{
	struct defer d = {0};
	u64 cookie = 0;

	defer_request(&d, 3, 7, &cookie);
	defer_mark(&d, 7);
	defer_cancel(&d, 3);
	assert_int_equal(defer_idle(&d), 7);
	assert_int_equal(d.word, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_request_schedules_the_walk_under_its_cookie),
		cmocka_unit_test(later_requests_join_under_the_first_cookie),
		cmocka_unit_test(nothing_begins_without_a_fresh_cookie),
		cmocka_unit_test(a_repeated_request_is_reported_as_one),
		cmocka_unit_test(taking_starts_afresh),
		cmocka_unit_test(a_consumer_that_leaves_takes_only_its_own_bit),
		cmocka_unit_test(the_last_to_leave_leaves_the_cookie_for_others_to_join),
		cmocka_unit_test(a_cookie_is_given_up_only_when_all_have_left),
		cmocka_unit_test(a_mark_is_returned_with_its_cookie),
		cmocka_unit_test(a_cookie_that_was_given_up_is_not_marked),
		cmocka_unit_test(a_mark_keeps_no_cookie_alive),
		cmocka_unit_test(cookies_of_all_processors_and_counts_differ_and_are_not_0),
		cmocka_unit_test(a_processor_that_has_given_out_all_cookies_gives_out_none_twice),
		cmocka_unit_test(the_largest_cookie_fits_its_bits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
