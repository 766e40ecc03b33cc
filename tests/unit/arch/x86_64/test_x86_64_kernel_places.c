/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Are kernel stacks of x86-64 cached only if there is one way to find all their return addresses? */
#include "../../core/shared/kernel_stack.h"

static void a_stale_equal_word_below_the_true_place_is_not_taken_for_it(void **state)
{
	for (u32 i = 1; i <= 4; i++) {
		u32 below;

		four_calls();
		below = place[i] - 1;
		copy.now.word[below] = function(i);
		assert_false(is_kept(ID));
	}
}

static void a_stack_with_an_address_that_occurs_twice_is_not_cached(void **state)
{
	for (u32 i = 1; i <= 4; i++) {
		four_calls();
		copy.now.word[place[i] + 1] = function(i);
		assert_false(is_kept(ID));
	}
}

static void a_second_one_that_the_order_rules_out_does_no_harm(void **state)
{
	four_calls();
	copy.now.word[place[1] - 1] = function(2); /* not below function 1 */
	copy.now.word[place[4] + 1] = function(3); /* nor above function 4 */
	assert_true(is_kept(ID));
	copy.now.word[place[3]] = JUNK;
	assert_int_equal(find(), 0);
}

static void recursion_is_cached_if_its_places_are_certain(void **state)
{
	for (int stale = 0; stale < 2; stale++) {
		recursion();
		if (stale)
			copy.now.word[place[3] - 1] = function(2);
		assert_int_equal(is_kept(ID), !stale);
		if (!stale)
			assert_each_address_counts(5);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stale_equal_word_below_the_true_place_is_not_taken_for_it),
		cmocka_unit_test(a_stack_with_an_address_that_occurs_twice_is_not_cached),
		cmocka_unit_test(a_second_one_that_the_order_rules_out_does_no_harm),
		cmocka_unit_test(recursion_is_cached_if_its_places_are_certain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
