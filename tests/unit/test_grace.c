/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Is a phase over when, and only when, all who entered in it have left? (All orders: tests/model.) */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/grace.h"

static struct grace grace;

static int fresh(void **state)
{
	memset(&grace, 0, sizeof(grace));
	return 0;
}

static void where_nobody_has_entered_it_is_over_at_once(void **state)
{
	for (int turn = 0; turn < 4; turn++)
		assert_true(grace_is_over(&grace, grace_turn(&grace)));
}

static void it_is_over_when_the_last_one_has_left(void **state)
{
	u32 a = grace_enter(&grace, 0), b = grace_enter(&grace, 0), c = grace_enter(&grace, 1);
	u32 phase = grace_turn(&grace);

	assert_false(grace_is_over(&grace, phase));
	grace_leave(&grace, 0, b);
	assert_false(grace_is_over(&grace, phase));
	grace_leave(&grace, 1, c);
	assert_false(grace_is_over(&grace, phase));
	grace_leave(&grace, 0, a);
	assert_true(grace_is_over(&grace, phase));
}

static void who_enters_after_the_turn_is_not_waited_for(void **state)
{
	u32 phase = grace_turn(&grace), late = grace_enter(&grace, 0);

	assert_true(late != phase);
	assert_true(grace_is_over(&grace, phase));
	phase = grace_turn(&grace);
	assert_int_equal(phase, late);
	assert_false(grace_is_over(&grace, phase));
	grace_leave(&grace, 0, late);
	assert_true(grace_is_over(&grace, phase));
}

static void two_turns_find_whoever_is_inside(void **state)
{
	for (int before = 0; before < 3; before++) {
		u32 inside = grace_enter(&grace, before);

		assert_true(grace_is_over(&grace, grace_turn(&grace)) + grace_is_over(&grace, grace_turn(&grace)) < 2);
		grace_leave(&grace, before, inside);
		grace_turn(&grace);
	}
}

static void one_may_enter_again_inside(void **state)
{
	u32 outer = grace_enter(&grace, 0), phase = grace_turn(&grace), inner = grace_enter(&grace, 0);

	grace_leave(&grace, 0, inner);
	assert_false(grace_is_over(&grace, phase));
	grace_leave(&grace, 0, outer);
	assert_true(grace_is_over(&grace, phase));
}

static void processors_beyond_the_rows_are_counted_too(void **state)
{
	u32 far = grace_enter(&grace, GRACE_ROWS + 3), near = grace_enter(&grace, 3), phase = grace_turn(&grace);

	grace_leave(&grace, 3, near);
	assert_false(grace_is_over(&grace, phase));
	grace_leave(&grace, GRACE_ROWS + 3, far);
	assert_true(grace_is_over(&grace, phase));
}

int main(void)
{
#define fresh_test(name) cmocka_unit_test_setup(name, fresh)
	const struct CMUnitTest tests[] = {
		fresh_test(where_nobody_has_entered_it_is_over_at_once),
		fresh_test(it_is_over_when_the_last_one_has_left),
		fresh_test(who_enters_after_the_turn_is_not_waited_for),
		fresh_test(two_turns_find_whoever_is_inside),
		fresh_test(one_may_enter_again_inside),
		fresh_test(processors_beyond_the_rows_are_counted_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
