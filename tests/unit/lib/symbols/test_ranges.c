/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Does the range that was added last win, however they overlap? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "lib/symbols/ranges.h"

#define SPACE 300

static void no_range_holds_nothing(void **state)
{
	struct ranges r = {0};

	(void)state;
	assert_int_equal(ranges_build(&r), 0);
	assert_null(ranges_find(&r, 0));
	ranges_done(&r);
}

static void ends_are_outside(void **state)
{
	struct ranges r = {0};

	(void)state;
	ranges_add(&r, 10, 20, 1);
	ranges_add(&r, 20, 20, 2);
	ranges_add(&r, UINT64_MAX - 1, UINT64_MAX, 3);
	assert_int_equal(ranges_build(&r), 0);
	assert_null(ranges_find(&r, 9));
	assert_int_equal(ranges_find(&r, 10)->value, 1);
	assert_int_equal(ranges_find(&r, 19)->value, 1);
	assert_null(ranges_find(&r, 20));
	assert_int_equal(ranges_find(&r, UINT64_MAX - 1)->value, 3);
	assert_null(ranges_find(&r, UINT64_MAX));
	ranges_done(&r);
}

static void it_equals_painting_one_over_the_other(void **state)
{
	uint32_t seed = 1;

	(void)state;
	for (int round = 0; round < 500; round++) {
		int painted[SPACE] = {0};
		struct ranges r = {0};

		for (int i = 1; i <= 40; i++) {
			uint32_t start, size;

			seed = seed * 1664525 + 1013904223;
			start = (seed >> 8) % SPACE;
			size = (seed >> 20) % 60;
			if (start + size > SPACE)
				size = SPACE - start;
			for (uint32_t a = start; a < start + size; a++)
				painted[a] = i;
			assert_int_equal(ranges_add(&r, start, start + size, i), 0);
		}
		assert_int_equal(ranges_build(&r), 0);
		for (int a = 0; a < SPACE; a++) {
			const struct range *found = ranges_find(&r, a);

			assert_int_equal(found ? found->value : 0, painted[a]);
		}
		ranges_done(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_range_holds_nothing),
		cmocka_unit_test(ends_are_outside),
		cmocka_unit_test(it_equals_painting_one_over_the_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
