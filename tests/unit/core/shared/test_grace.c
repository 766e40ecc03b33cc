/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Has a wait passed when, and only when, all have left who had entered before? (All orders: tests/model.) */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/shared/grace.h"

static struct grace grace;

static int fresh(void **state)
{
	memset(&grace, 0, sizeof(grace));
	return 0;
}

/* Ask as often as a wait takes at most, if nobody is inside. */
static bool passes(u32 begun)
{
	for (int i = 0; i < GRACE_TURNS; i++)
		if (grace_has_passed(&grace, begun))
			return true;
	return false;
}

static void where_nobody_has_entered_it_passes_at_once(void **state)
{
	for (int i = 0; i < 4; i++)
		assert_true(passes(grace_begin(&grace)));
}

static void it_passes_when_the_last_one_has_left(void **state)
{
	u32 a = grace_enter(&grace, 0), b = grace_enter(&grace, 0), c = grace_enter(&grace, 1);
	u32 begun = grace_begin(&grace);

	assert_false(passes(begun));
	grace_leave(&grace, 0, b);
	assert_false(passes(begun));
	grace_leave(&grace, 1, c);
	assert_false(passes(begun));
	grace_leave(&grace, 0, a);
	assert_true(passes(begun));
}

static void whoever_is_inside_is_waited_for_in_either_phase(void **state)
{
	for (int before = 0; before < 5; before++) {
		u32 inside = grace_enter(&grace, before), begun = grace_begin(&grace);

		assert_false(passes(begun));
		grace_leave(&grace, before, inside);
		assert_true(passes(begun));
		grace.turn += before;
	}
}

/* Others come and go all the time. */
static void who_enters_later_is_not_waited_for_for_ever(void **state)
{
	u32 begun = grace_begin(&grace), inside = grace_enter(&grace, 0), next;
	int asked = 0;

	for (; !grace_has_passed(&grace, begun) && asked < 100; asked++) {
		next = grace_enter(&grace, 1);
		grace_leave(&grace, 0, inside);
		inside = next;
		next = grace_enter(&grace, 0);
		grace_leave(&grace, 1, inside);
		inside = next;
	}
	assert_true(asked < 100);
}

/* One that is stopped in its wait, or killed, holds nobody up. */
static void waits_that_nobody_goes_on_with_are_in_nobodys_way(void **state)
{
	u32 stopped = grace_begin(&grace), begun;

	assert_false(grace_has_passed(&grace, stopped));
	begun = grace_begin(&grace);
	assert_true(passes(begun));
	assert_true(grace_has_passed(&grace, stopped));
}

static void one_may_enter_again_inside(void **state)
{
	u32 outer = grace_enter(&grace, 0), begun = grace_begin(&grace), inner;

	assert_false(grace_has_passed(&grace, begun));
	inner = grace_enter(&grace, 0);
	grace_leave(&grace, 0, inner);
	assert_false(passes(begun));
	grace_leave(&grace, 0, outer);
	assert_true(passes(begun));
}

static void processors_beyond_the_rows_are_counted_too(void **state)
{
	u32 far = grace_enter(&grace, GRACE_ROWS + 3), near = grace_enter(&grace, 3), begun = grace_begin(&grace);

	grace_leave(&grace, 3, near);
	assert_false(passes(begun));
	grace_leave(&grace, GRACE_ROWS + 3, far);
	assert_true(passes(begun));
}

int main(void)
{
#define fresh_test(name) cmocka_unit_test_setup(name, fresh)
	const struct CMUnitTest tests[] = {
		fresh_test(where_nobody_has_entered_it_passes_at_once),
		fresh_test(it_passes_when_the_last_one_has_left),
		fresh_test(whoever_is_inside_is_waited_for_in_either_phase),
		fresh_test(who_enters_later_is_not_waited_for_for_ever),
		fresh_test(waits_that_nobody_goes_on_with_are_in_nobodys_way),
		fresh_test(one_may_enter_again_inside),
		fresh_test(processors_beyond_the_rows_are_counted_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
