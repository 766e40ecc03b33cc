/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Is what a walk read compared, all of it, and nothing else? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/walk/read_log.h"

static struct read_log r, kept;
static struct stack_snapshot now;

static void all_words_are(u64 word)
{
	for (u32 i = 0; i < READ_LOG_SPAN; i++)
		now.word[i] = word + i;
}

/* @nr words, each @step words above the one before, kept. */
static void read_words(u32 nr, u32 step)
{
	all_words_are(0x1000);
	read_log_clear(&r);
	for (u32 i = 0; i < nr; i++)
		read_log_add(&r, (u64)i * step * sizeof(u64), now.word[i * step]);
	assert_true(read_log_is_usable(&r));
	memset(&kept, 0xa5, sizeof(kept));
	read_log_copy(&kept, &r);
}

static void a_change_of_any_word_that_was_read_is_seen_and_of_no_other(void **state)
{
	static const u32 counts[] = {1, 2, 7, 8, 9, 16, 17, 120, 127, READ_LOG_WORDS};

	for (u32 i = 0; i < COUNT(counts); i++)
		for (u32 step = 1; step <= 8; step += 7) {
			u32 nr = counts[i];

			read_words(nr, step);
			assert_true(read_log_holds(&kept, &now));
			for (u32 word = 0; word < READ_LOG_SPAN; word++) {
				bool was_read = word % step == 0 && word / step < nr;

				now.word[word] ^= 1ULL << word % 64;
				assert_int_equal(read_log_holds(&kept, &now), !was_read);
				now.word[word] ^= 1ULL << word % 64;
			}
		}
}

static void changes_do_not_cancel_each_other(void **state)
{
	read_words(READ_LOG_WORDS, 1);
	for (u32 i = 0; i < READ_LOG_WORDS; i++)
		now.word[i] ^= 0x10;
	assert_false(read_log_holds(&kept, &now));
}

static void the_order_of_reading_does_not_matter(void **state)
{
	all_words_are(7);
	read_log_clear(&r);
	read_log_add(&r, 80, 17);
	read_log_add(&r, 0, 7);
	read_log_add(&r, 80, 17);
	read_log_copy(&kept, &r);
	assert_int_equal(kept.span, 11);
	assert_true(read_log_holds(&kept, &now));
	now.word[0]++;
	assert_false(read_log_holds(&kept, &now));
}

static void the_span_reaches_to_the_farthest_word(void **state)
{
	read_log_clear(&r);
	assert_int_equal(r.span, 0);
	read_log_add(&r, 0, 1);
	assert_int_equal(r.span, 1);
	read_log_add(&r, (READ_LOG_SPAN - 1) * sizeof(u64), 1);
	assert_int_equal(r.span, READ_LOG_SPAN);
	read_log_add(&r, 8, 1);
	assert_int_equal(r.span, READ_LOG_SPAN);
	assert_true(read_log_is_usable(&r));
}

static void one_word_too_many_makes_the_log_unusable(void **state)
{
	read_log_clear(&r);
	for (u32 i = 0; i < READ_LOG_WORDS; i++)
		read_log_add(&r, 8 * i, i);
	assert_true(read_log_is_usable(&r));
	read_log_add(&r, 0, 0);
	assert_false(read_log_is_usable(&r));
}

static void a_word_outside_the_span_makes_the_log_unusable(void **state)
{
	static const u64 distances[] = {READ_LOG_SPAN * sizeof(u64), 1ULL << 40, -8ULL, 4, 9, -1ULL};

	for (u32 i = 0; i < COUNT(distances); i++) {
		read_log_clear(&r);
		read_log_add(&r, 8, 1);
		read_log_add(&r, distances[i], 1);
		assert_false(read_log_is_usable(&r));
		read_log_add(&r, 16, 1);
		assert_false(read_log_is_usable(&r));
	}
	read_log_clear(&r);
	assert_true(read_log_is_usable(&r));
}

static void a_set_that_is_half_written_is_read_within_its_bounds(void **state)
{
	all_words_are(0);
	memset(&kept, 0xff, sizeof(kept));
	assert_false(read_log_holds(&kept, &now));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_change_of_any_word_that_was_read_is_seen_and_of_no_other),
		cmocka_unit_test(changes_do_not_cancel_each_other),
		cmocka_unit_test(the_order_of_reading_does_not_matter),
		cmocka_unit_test(the_span_reaches_to_the_farthest_word),
		cmocka_unit_test(one_word_too_many_makes_the_log_unusable),
		cmocka_unit_test(a_word_outside_the_span_makes_the_log_unusable),
		cmocka_unit_test(a_set_that_is_half_written_is_read_within_its_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
