/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Does the kernel stack cache find a stack only if its return addresses are where they certainly were? */
#include "kernel_stack.h"

#define ROUNDS 20000

static u32 random_state = 1;

static u32 any(u32 below)
{
	random_state = random_state * 1664525 + 1013904223;
	return (random_state >> 8) % below;
}

/* Is word @word of the stack one by which it is recognized? */
static bool counts(u32 word)
{
	u32 last = stack.nr - key.outer;

	for (u32 i = INNER; i < last; i++)
		if (test_counts(word, place[i], i + 1 == last))
			return true;
	return false;
}

static void what_was_put_is_found_again(void **state)
{
	four_calls();
	assert_int_equal(find(), 0);
	assert_int_equal(kernel_set_of(&key)->span, 0);
	put(ID);
	assert_int_equal(find(), ID);
	assert_int_equal(kernel_set_of(&key)->span, place[4] + 1);
}

static void a_change_of_any_word_that_counts_misses_and_of_no_other_one(void **state)
{
	four_calls();
	put(ID);
	for (u32 i = 0; i < copy.words; i++) {
		copy.now.word[i] ^= 1ULL << i % 48;
		assert_int_equal(find(), counts(i) ? 0 : ID);
		copy.now.word[i] ^= 1ULL << i % 48;
	}
}

static void the_outermost_address_of_a_system_call_may_lie_anywhere(void **state)
{
	four_calls();
	put(ID);
	copy.now.word[place[5]] = JUNK;
	copy.now.word[place[5] + 2] = function(50);
	assert_int_equal(find(), ID);
}

/* Two interrupts may differ in nothing else. */
static void the_outermost_address_of_another_entry_counts(void **state)
{
	four_calls();
	key.entry = NO_SYSCALL;
	key.outer = 0;
	key.depth = copy.words * sizeof(u64);
	put(ID);
	assert_int_equal(find(), ID);
	copy.now.word[place[5]] = function(51);
	assert_int_equal(find(), 0);
}

static void another_entry_or_another_depth_is_another_stack(void **state)
{
	four_calls();
	put(ID);
	for (u32 i = 1; i < 500; i++) { /* some have the same set */
		key.entry = i;
		assert_int_equal(find(), 0);
	}
	four_calls();
	key.entry = NO_SYSCALL;
	key.outer = 0;
	key.depth = copy.words * sizeof(u64);
	put(ID);
	assert_int_equal(find(), ID);
	key.depth += 8;
	assert_int_equal(find(), 0);
}

static void a_stack_that_is_too_short_to_compare_misses(void **state)
{
	four_calls();
	put(ID);
	copy.words = place[4] + 1;
	assert_int_equal(find(), ID);
	copy.words--;
	assert_int_equal(find(), 0);
}

static void a_stack_with_an_address_that_is_not_in_it_is_not_cached(void **state)
{
	for (u32 i = 1; i <= 4; i++) {
		four_calls();
		copy.now.word[place[i]] = JUNK;
		assert_false(is_kept(ID));
	}
	four_calls();
	copy.words = place[4];
	put(ID); /* the rest was not read: it is of some other stack */
	copy.words = place[5] + 1;
	assert_int_equal(find(), 0);
}

static void stacks_without_a_frame_to_look_for_are_not_cached(void **state)
{
	for (u32 nr = 0; nr <= 2; nr++) {
		four_calls();
		stack.nr = nr;
		assert_false(is_kept(ID));
	}
	four_calls();
	key.inner = stack.nr;
	assert_false(is_kept(ID));
}

static void a_stack_of_too_many_frames_is_not_cached(void **state)
{
	static const u32 frames[] = {TEST_MOST_FRAMES, TEST_MOST_FRAMES + 1};

	for (u32 i = 0; i < COUNT(frames); i++) {
		begin();
		for (u32 n = 0; n < frames[i]; n++)
			frame(1, n);
		stack.frame[stack.nr++] = function(200);
		assert_int_equal(is_kept(ID), frames[i] == TEST_MOST_FRAMES);
	}
	four_calls();
	stack.nr = MAX_DEPTH + 1;
	assert_false(is_kept(ID));
	four_calls();
	copy.words = READ_LOG_SPAN + 1;
	put(ID);
	copy.words = READ_LOG_SPAN;
	assert_int_equal(find(), 0);
}

static void a_stack_as_large_as_can_be_is_cached(void **state)
{
	begin();
	frame(3, 1);
	frame(READ_LOG_SPAN - 3, 2);
	stack.frame[stack.nr++] = function(50);
	assert_int_equal(copy.words, READ_LOG_SPAN);
	assert_true(is_kept(ID));
	copy.now.word[READ_LOG_SPAN - 1] = JUNK;
	assert_int_equal(find(), 0);
}

/* One system call with @n in the place of function 1. */
static void call(u32 n)
{
	enter();
	frame(3, n);
	frame(3, 20);
	frame(3, 50);
}

static void the_oldest_way_is_forgotten(void **state)
{
	begin();
	for (u32 i = 0; i < KERNEL_WAYS + 2; i++) {
		call(i);
		put(1 + i);
		for (u32 j = 0; j <= i; j++) {
			call(j);
			assert_int_equal(find(), j + KERNEL_WAYS > i ? 1 + j : 0);
		}
	}
}

static void a_way_that_is_being_written_is_neither_read_nor_overwritten(void **state)
{
	struct cached_kernel_stack *m;
	u32 sequence;

	four_calls();
	put(ID);
	m = &kernel_set_of(&key)->way[0];
	sequence = m->sequence++;
	assert_int_equal(find(), 0);
	kernel_set_of(&key)->turn = 0;
	put(ID + 1);
	assert_int_equal(m->sequence, sequence + 1);
	assert_int_equal(m->stack, ID);
	m->sequence = sequence;
	assert_int_equal(find(), ID);
}

/* A stack of functions that it shares with what was left over in it, from other calls. */
static void random_stack(void)
{
	u32 frames = 1 + any(6), kinds = 2 + any(6);

	copy.words = 0;
	stack.nr = INNER;
	for (u32 i = 0; i < frames; i++) {
		u32 stale = copy.words, words = 1 + any(6);

		frame(words, any(kinds));
		for (; stale < copy.words - 1; stale++)
			if (!any(3))
				copy.now.word[stale] = function(any(kinds));
	}
	stack.frame[stack.nr++] = function(50);
	for (u32 i = any(4); i; i--)
		copy.now.word[copy.words++] = function(any(kinds));
}

static void no_stale_word_ever_makes_a_wrong_stack(void **state)
{
	u32 hits = 0, misses = 0, refused = 0;

	begin();
	for (u32 round = 0; round < ROUNDS; round++) {
		u32 where;

		test_forget();
		random_stack();
		if (!is_kept(ID)) {
			refused++;
			continue;
		}
		for (u32 i = 0; i < 8; i++) {
			bool is_other;
			u64 old;

			where = any(copy.words);
			old = copy.now.word[where];
			copy.now.word[where] = function(any(8));
			is_other = counts(where) && test_word(copy.now.word[where]) != test_word(old);
			assert_int_equal(find(), is_other ? 0 : ID);
			hits += !is_other;
			misses += is_other;
			copy.now.word[where] = old;
		}
	}
	assert_true(hits > ROUNDS / 10 && misses > ROUNDS / 10 && refused > ROUNDS / 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_put_is_found_again),
		cmocka_unit_test(a_change_of_any_word_that_counts_misses_and_of_no_other_one),
		cmocka_unit_test(the_outermost_address_of_a_system_call_may_lie_anywhere),
		cmocka_unit_test(the_outermost_address_of_another_entry_counts),
		cmocka_unit_test(another_entry_or_another_depth_is_another_stack),
		cmocka_unit_test(a_stack_that_is_too_short_to_compare_misses),
		cmocka_unit_test(a_stack_with_an_address_that_is_not_in_it_is_not_cached),
		cmocka_unit_test(stacks_without_a_frame_to_look_for_are_not_cached),
		cmocka_unit_test(a_stack_of_too_many_frames_is_not_cached),
		cmocka_unit_test(a_stack_as_large_as_can_be_is_cached),
		cmocka_unit_test(the_oldest_way_is_forgotten),
		cmocka_unit_test(a_way_that_is_being_written_is_neither_read_nor_overwritten),
		cmocka_unit_test(no_stale_word_ever_makes_a_wrong_stack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
