/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Are kernel stacks of arm64 cached if a chain of frame records has their addresses, and are they found by this chain only? */
#include "../../core/shared/kernel_stack.h"

#define CODES TEST_CODES /* bits of authentication codes */

/* Another task makes the same calls: it has another stack, and another key. */
static void another_task(void)
{
	copy.sp += 1 << 16;
	for (u32 i = 1; i < stack.nr; i++) {
		copy.now.word[place[i]] ^= (0x1234567ULL * (i + 5) << 48) & CODES;
		if (i + 1 < stack.nr)
			copy.now.word[place[i] - 1] += 1 << 16;
	}
}

static void stacks_of_other_tasks_are_found(void **state)
{
	four_calls();
	put(ID);
	another_task();
	assert_int_equal(find(), ID);
	for (u32 i = 1; i <= 4; i++)
		copy.now.word[place[i]] |= CODES; /* a kernel that signs nothing */
	assert_int_equal(find(), ID);
}

/* What says that an address is the kernel's is no part of its code. */
static void an_address_of_user_mode_is_not_taken_for_one_of_the_kernel(void **state)
{
	for (u32 i = 1; i <= 4; i++) {
		four_calls();
		put(ID);
		copy.now.word[place[i]] &= ~(1ULL << 55);
		assert_int_equal(find(), 0);
	}
}

static void links_into_another_stack_are_others(void **state)
{
	for (u32 i = 1; i <= 3; i++) {
		four_calls();
		put(ID);
		copy.now.word[place[i] - 1] += 1 << 16;
		assert_int_equal(find(), 0);
	}
}

static void what_lies_outside_the_random_frame_may_be_anywhere(void **state)
{
	four_calls();
	copy.now.word[place[4] - 1] += 16;
	assert_true(is_kept(ID));
	copy.now.word[place[4] - 1] += 16;
	assert_int_equal(find(), ID);
}

static void words_between_the_records_do_no_harm(void **state)
{
	four_calls();
	put(ID);
	test_forget();
	for (u32 i = 2; i <= 4; i++) {
		copy.now.word[place[i] - 2] = function(i - 1 ? i : 1);
		copy.now.word[place[4] + i] = function(i);
	}
	assert_true(is_kept(ID));
}

/* At first, with two records that have the innermost address, nothing says which of them is in the chain. */
static void where_the_chain_begins_is_learnt_from_a_stack_that_leaves_no_doubt(void **state)
{
	u64 link;

	for (u32 other = 1; other < 20; other += 18) { /* a record below the true one, or above all */
		begin();
		frame(7, 1);
		frame(4, 2);
		frame(5, 3);
		junk(12);
		link = copy.sp + (place[2] - 1) * sizeof(u64);
		copy.now.word[other] = other < place[1] ? link : link + 128;
		copy.now.word[other + 1] = function(1);
		assert_false(is_kept(ID));
		assert_int_equal(kernel_chain, 0);
		link = copy.now.word[other];
		copy.now.word[other] = JUNK;
		assert_true(is_kept(ID));
		assert_int_equal(kernel_chain, place[1] - 1);
		copy.now.word[other] = link;
		memset(kernel_sets, 0, sizeof(kernel_sets));
		assert_true(is_kept(ID));
	}
}

static void nothing_is_learnt_from_a_stack_that_is_not_cached(void **state)
{
	four_calls();
	copy.now.word[place[3]] = JUNK;
	assert_false(is_kept(ID));
	assert_int_equal(kernel_chain, 0);
}

/* A whole chain of an earlier call, as invoke_syscall() leaves it in what it leaves out at random. */
static void a_chain_that_is_left_over_is_not_taken_for_the_stack(void **state)
{
	u32 live;

	four_calls();
	put(ID);
	for (int is_known = 0; is_known < 2; is_known++) {
		enter();
		frame(3, 7); /* the same begin of the chain, and another stack */
		for (u32 i = 1; i < 4; i++)
			frame(3 + i, 7 + i);
		live = copy.words;
		stack.nr = INNER;
		for (u32 i = 0; i < 4; i++) /* the stack that was cached, where it is not the task's */
			frame(3 + i, 1 + i);
		frame(1, 50);
		assert_int_equal(find(), 0);
		assert_false(is_kept(ID + 1)); /* nor is it cached for these */
		copy.words = live;
	}
}

static void a_chain_that_does_not_lead_upwards_or_out_of_the_stack_is_not_cached(void **state)
{
	static const s64 off[] = {-8, -16, 0, 4, 1 << 14};

	for (u32 i = 1; i <= 3; i++)
		for (u32 n = 0; n < COUNT(off); n++) {
			four_calls();
			copy.now.word[place[i] - 1] = copy.sp + (place[i] - 1) * sizeof(u64) + off[n];
			assert_false(is_kept(ID));
		}
}

static void a_record_that_leads_to_itself_is_no_recursion(void **state)
{
	begin();
	frame(3, 1);
	for (u32 i = 0; i < 3; i++)
		frame(4, 2);
	frame(9, 50);
	copy.now.word[place[2] - 1] = copy.sp + (place[2] - 1) * sizeof(u64);
	assert_false(is_kept(ID));
}

static void a_begin_outside_of_a_small_stack_is_harmless(void **state)
{
	four_calls();
	put(ID);
	for (u32 words = 0; words <= place[1]; words++) {
		enter();
		copy.words = words;
		stack.nr = 4;
		put(ID);
		assert_int_equal(find(), 0);
	}
}

static void recursion_is_cached(void **state)
{
	recursion();
	copy.now.word[place[3] - 3] = function(2);
	assert_true(is_kept(ID));
	assert_each_address_counts(5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stacks_of_other_tasks_are_found),
		cmocka_unit_test(an_address_of_user_mode_is_not_taken_for_one_of_the_kernel),
		cmocka_unit_test(links_into_another_stack_are_others),
		cmocka_unit_test(what_lies_outside_the_random_frame_may_be_anywhere),
		cmocka_unit_test(words_between_the_records_do_no_harm),
		cmocka_unit_test(where_the_chain_begins_is_learnt_from_a_stack_that_leaves_no_doubt),
		cmocka_unit_test(nothing_is_learnt_from_a_stack_that_is_not_cached),
		cmocka_unit_test(a_chain_that_is_left_over_is_not_taken_for_the_stack),
		cmocka_unit_test(a_chain_that_does_not_lead_upwards_or_out_of_the_stack_is_not_cached),
		cmocka_unit_test(a_record_that_leads_to_itself_is_no_recursion),
		cmocka_unit_test(a_begin_outside_of_a_small_stack_is_harmless),
		cmocka_unit_test(recursion_is_cached),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
