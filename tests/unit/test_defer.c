/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Who gets which stack, as long as one thing happens after the other? (All orders: tests/model.) */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/defer.h"

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

	for (u32 who = 0; who < DEFER_BITS; who++) {
		assert_int_equal(defer_request(&d, who, 7 + who, &cookie), who ? DEFER_JOIN : DEFER_SCHEDULE);
		assert_int_equal(cookie, 7);
	}
	assert_int_equal(defer_take(&d, &cookie), (1 << DEFER_BITS) - 1);
	assert_int_equal(cookie, 7);
}

static void who_asks_again_is_told_so(void **state)
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
	u64 last = 0;

	for (u64 count = 1; count < 4; count++)
		for (u32 cpu = 0; cpu < 1 << DEFER_CPU_BITS; cpu++) {
			u64 cookie = defer_cookie(cpu, count);

			assert_true(cookie > last);
			last = cookie;
		}
	assert_int_equal(defer_cookie(0, 1), 1 << DEFER_CPU_BITS);
}

static void the_largest_cookie_fits_its_bits(void **state)
{
	u64 cookie, largest = defer_cookie(~0u, ~0ULL);
	struct defer d = {0};

	assert_int_equal(largest, ~0ULL >> DEFER_BITS);
	assert_int_equal(defer_request(&d, DEFER_BITS - 1, largest, &cookie), DEFER_SCHEDULE);
	assert_int_equal(cookie, largest);
	assert_int_equal(defer_take(&d, &cookie), 1 << (DEFER_BITS - 1));
	assert_int_equal(cookie, largest);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_request_schedules_the_walk_under_its_cookie),
		cmocka_unit_test(later_requests_join_under_the_first_cookie),
		cmocka_unit_test(who_asks_again_is_told_so),
		cmocka_unit_test(taking_starts_afresh),
		cmocka_unit_test(cookies_of_all_processors_and_counts_differ_and_are_not_0),
		cmocka_unit_test(the_largest_cookie_fits_its_bits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
