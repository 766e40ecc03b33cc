/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Lines of methods of Java, from tables as HotSpot compresses them, that are cut, and from any bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "lib/lang/java_lines.h"

/* A table of @bytes bytes, @bytes - 1 of which are in the text. */
static struct code_content table(const char *text, u32 bytes, bool biased)
{
	struct code_content c = {
		.language = LANGUAGE_JAVA, .line_table = LINES_JAVA, .table_bytes = (u16)bytes, .biased = biased};

	memcpy(c.table, text, bytes < sizeof(c.table) ? bytes : sizeof(c.table));
	return c;
}

#define TABLE(text, biased) table(text, sizeof(text), biased)

static void small_steps_are_in_one_byte(void **state)
{
	/* bytecode 0 is at line 7, 5 at 9, 36 at 9 */
	const struct code_content c = TABLE("\x07\x2a\xf8", false);
	static const u32 at[][2] = {{0, 7}, {4, 7}, {5, 9}, {35, 9}, {36, 9}, {60000, 9}};

	(void)state;
	for (u32 i = 0; i < sizeof(at) / sizeof(at[0]); i++)
		assert_int_equal(java_lines_find(&c, at[i][0]), at[i][1]);
}

static void large_steps_are_numbers_with_a_sign(void **state)
{
	/* 0xff, then 0 and +150: 300 as 236 + 64 * 1 */
	const struct code_content old = TABLE("\xff\x00\xec\x01\x41\xff\x0a\x31", false);
	/* the same, where no byte is 0; 5 behind, 25 before */
	const struct code_content new = TABLE("\xff\x01\xed\x02\x41\xff\x0b\x32", true);

	(void)state;
	for (u32 i = 0; i < 2; i++) {
		const struct code_content *c = i ? &new : &old;

		assert_int_equal(java_lines_find(c, 0), 150);
		assert_int_equal(java_lines_find(c, 7), 150);
		assert_int_equal(java_lines_find(c, 8), 151);
		assert_int_equal(java_lines_find(c, 12), 151);
		assert_int_equal(java_lines_find(c, 13), 126);
	}
}

static void the_nearest_bytecode_before_counts(void **state)
{
	/* 0 at line 1, 8 at line 2, back to 4 at line 3 */
	const struct code_content c = TABLE("\x01\x41\xff\x07\x02", false);

	(void)state;
	assert_int_equal(java_lines_find(&c, 3), 1);
	assert_int_equal(java_lines_find(&c, 5), 3);
	assert_int_equal(java_lines_find(&c, 9), 2);
}

static void a_table_that_is_cut_says_only_what_is_sure(void **state)
{
	struct code_content c = {.line_table = LINES_JAVA, .table_bytes = sizeof(c.table)};

	(void)state;
	memset(c.table, 0x09, sizeof(c.table)); /* each bytecode is a line further */
	assert_int_equal(java_lines_find(&c, 10), 10);
	assert_int_equal(java_lines_find(&c, 1024), 1024);
	assert_int_equal(java_lines_find(&c, 1025), 0);
	c.table[sizeof(c.table) - 1] = 0xff;
	assert_int_equal(java_lines_find(&c, 1024), 0);
}

static void a_method_without_a_table_has_no_lines(void **state)
{
	struct code_content c = TABLE("\x07", false);

	(void)state;
	c.table_bytes = 0;
	assert_int_equal(java_lines_find(&c, 0), 0);
	c = TABLE("\x07", false);
	c.line_table = LINES_UNKNOWN;
	assert_int_equal(java_lines_find(&c, 0), 0);
}

static void any_bytes_are_read_to_their_end(void **state)
{
	struct code_content c = {.line_table = LINES_JAVA};

	(void)state;
	srand(1);
	for (u32 i = 0; i < 20000; i++) {
		c.table_bytes = (u16)(rand() % (2 * sizeof(c.table)));
		c.biased = i & 1;
		for (u32 k = 0; k < sizeof(c.table); k++)
			c.table[k] = (u8)(rand() % 3 ? rand() : 0xff);
		java_lines_find(&c, (u32)rand() % 65536);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(small_steps_are_in_one_byte),
		cmocka_unit_test(large_steps_are_numbers_with_a_sign),
		cmocka_unit_test(the_nearest_bytecode_before_counts),
		cmocka_unit_test(a_table_that_is_cut_says_only_what_is_sure),
		cmocka_unit_test(a_method_without_a_table_has_no_lines),
		cmocka_unit_test(any_bytes_are_read_to_their_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
