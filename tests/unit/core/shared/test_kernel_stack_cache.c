/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Does the kernel stack cache find a stack only if its return addresses are where they certainly were? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/shared/kernel_stack_cache.h"

#define READ 0 /* a system call */
#define NO_SYSCALL (1ULL << 32)
#define INNER 1
#define ID 4711
#define JUNK 0xdead0000ULL /* no address of code */
#define ROUNDS 20000

static struct kernel_key key;
static struct stack stack;
static struct kernel_copy copy;
static u32 place[64]; /* word of the copy at which frame @i lies */
static u32 random_state = 1;

static u32 any(u32 below)
{
	random_state = random_state * 1664525 + 1013904223;
	return (random_state >> 8) % below;
}

static u64 function(u32 n)
{
	return 0xffffffff81000000ULL + n * 0x100;
}

/* An empty stack of a system call, with the frame that is not looked for. */
static void enter(void)
{
	memset(&copy, 0, sizeof(copy));
	key = (struct kernel_key){READ, KERNEL_SYSCALL, INNER};
	stack.nr = INNER;
	stack.frame[0] = function(99);
}

/* The same, and no cached_stack. */
static void begin(void)
{
	memset(kernel_sets, 0, sizeof(kernel_sets));
	enter();
}

static void junk(u32 words)
{
	for (; words; words--)
		copy.now.word[copy.words++] = JUNK;
}

/* A frame of @words words, with its return address, to function @n. */
static void frame(u32 words, u32 n)
{
	junk(words - 1);
	place[stack.nr] = copy.words;
	copy.now.word[copy.words++] = function(n);
	stack.frame[stack.nr++] = function(n);
}

static void four_calls(void)
{
	begin();
	for (u32 i = 0; i < 4; i++)
		frame(3 + i, 1 + i);
	junk(5);
	frame(1, 50);
	junk(8);
}

static void put(u32 id)
{
	kernel_stack_cache_put(&key, &stack, &copy, id);
}

static u32 find(void)
{
	return kernel_stack_cache_find(&key, &copy);
}

/* Put @id; is it found then? */
static bool is_kept(u32 id)
{
	put(id);
	return find() == id;
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

static void a_change_of_any_address_misses_and_of_no_other_word(void **state)
{
	four_calls();
	put(ID);
	for (u32 i = 0; i < copy.words; i++) {
		bool is_frame = i == place[1] || i == place[2] || i == place[3] || i == place[4];

		copy.now.word[i] ^= 1ULL << i % 64;
		assert_int_equal(find(), is_frame ? 0 : ID);
		copy.now.word[i] ^= 1ULL << i % 64;
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
		begin();
		frame(3, 1);
		for (u32 i = 0; i < 3; i++)
			frame(4, 2);
		frame(2, 3);
		frame(9, 50);
		if (stale)
			copy.now.word[place[3] - 1] = function(2);
		assert_int_equal(is_kept(ID), !stale);
		if (stale)
			continue;
		for (u32 i = 1; i <= 5; i++) {
			u64 old = copy.now.word[place[i]];

			copy.now.word[place[i]] = JUNK;
			assert_int_equal(find(), 0);
			copy.now.word[place[i]] = old;
		}
	}
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
	assert_false(is_kept(ID));
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
	static const u32 frames[] = {READ_LOG_WORDS, READ_LOG_WORDS + 1};

	for (u32 i = 0; i < COUNT(frames); i++) {
		begin();
		for (u32 n = 0; n < frames[i]; n++) {
			stack.frame[stack.nr++] = function(n);
			copy.now.word[copy.words++] = function(n);
		}
		stack.frame[stack.nr++] = function(200);
		assert_int_equal(is_kept(ID), frames[i] == READ_LOG_WORDS);
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
	frame(READ_LOG_SPAN, 1);
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
		u32 where, frames;

		memset(kernel_sets, 0, sizeof(kernel_sets));
		random_stack();
		frames = stack.nr - 1; /* without the outermost one */
		if (!is_kept(ID)) {
			refused++;
			continue;
		}
		for (u32 i = 0; i < 8; i++) {
			bool is_other = false;
			u64 old;

			where = any(copy.words);
			old = copy.now.word[where];
			copy.now.word[where] = function(any(8));
			for (u32 j = INNER; j < frames; j++)
				is_other |= copy.now.word[place[j]] != stack.frame[j];
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
		cmocka_unit_test(a_change_of_any_address_misses_and_of_no_other_word),
		cmocka_unit_test(the_outermost_address_of_a_system_call_may_lie_anywhere),
		cmocka_unit_test(the_outermost_address_of_another_entry_counts),
		cmocka_unit_test(another_entry_or_another_depth_is_another_stack),
		cmocka_unit_test(a_stack_that_is_too_short_to_compare_misses),
		cmocka_unit_test(a_stale_equal_word_below_the_true_place_is_not_taken_for_it),
		cmocka_unit_test(a_stack_with_an_address_that_occurs_twice_is_not_cached),
		cmocka_unit_test(a_second_one_that_the_order_rules_out_does_no_harm),
		cmocka_unit_test(recursion_is_cached_if_its_places_are_certain),
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
