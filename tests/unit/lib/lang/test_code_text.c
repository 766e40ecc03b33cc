/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Texts of a language as UTF-8, of each width, and cut. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "lib/lang/code_text.h"

static char room[CODE_TEXT_BYTES];

static const char *text(u16 width, const void *bytes, u16 nr_bytes, u32 kept)
{
	const struct code_text t = {.bytes = nr_bytes, .width = width};

	return code_text_utf8(room, &t, bytes, kept);
}

static void code_text__is_utf8_of_each_width(void **state)
{
	static const u16 two[] = {'a', 0xe4, 0x20ac};
	static const u32 four[] = {'a', 0xe4, 0x20ac, 0x1f40d};

	(void)state;
	assert_string_equal(text(1, "Decoder.decode", 14, 128), "Decoder.decode");
	assert_string_equal(text(1, "stra\xdf\x65", 6, 128), "stra\xc3\x9f\x65");
	assert_string_equal(text(2, two, sizeof(two), 128), "a\xc3\xa4\xe2\x82\xac");
	assert_string_equal(text(4, four, sizeof(four), 128), "a\xc3\xa4\xe2\x82\xac\xf0\x9f\x90\x8d");
	assert_string_equal(text(1, "", 0, 128), "");
}

static void code_text__replaces_what_utf8_lacks(void **state)
{
	static const u16 two[] = {'a', 0xd800, 'b', 0xdfff};
	static const u32 four[] = {0x110000, 'a', UINT32_MAX};

	(void)state;
	assert_string_equal(text(1, "a\0\nb", 4, 128), "a\xef\xbf\xbd\nb");
	assert_string_equal(text(2, two, sizeof(two), 128), "a\xef\xbf\xbd\x62\xef\xbf\xbd");
	assert_string_equal(text(4, four, sizeof(four), 128), "\xef\xbf\xbd\x61\xef\xbf\xbd");
}

static void code_text__says_that_it_was_cut(void **state)
{
	static const u16 two[] = {'a', 'b', 'c'};
	u8 most[256];

	(void)state;
	assert_string_equal(text(1, "abcdef", 6, 4), "abcd...");
	assert_string_equal(text(2, two, sizeof(two), 5), "ab...");
	memset(most, 0xff, sizeof(most));
	assert_int_equal(strlen(text(1, most, UINT16_MAX, sizeof(most))), CODE_TEXT_BYTES - 1);
	assert_string_equal(text(2, most, UINT16_MAX, 0), "...");
}

static void code_text__that_should_be_utf8_is_kept_or_taken_for_latin1(void **state)
{
	u8 most[256];

	(void)state;
	assert_string_equal(text(TEXT_UTF8, "gr\xc3\xb6\xc3\x9f\x65", 7, 128), "gr\xc3\xb6\xc3\x9f\x65");
	assert_string_equal(text(TEXT_UTF8, "gr\xf6\xdf\x65", 5, 128), "gr\xc3\xb6\xc3\x9f\x65");
	assert_string_equal(text(TEXT_UTF8, "a\xf0\x9f\x90\x8d", 5, 128), "a\xf0\x9f\x90\x8d");
	assert_string_equal(text(TEXT_UTF8, "a\xc3", 2, 128), "a\xc3\x83");
	assert_string_equal(text(TEXT_UTF8, "a\n", 2, 128), "a\n");
	assert_string_equal(text(TEXT_UTF8, "class@anonymous\0/srv/a.php:3$0", 31, 128), "class@anonymous");
	memset(most, 0xff, sizeof(most));
	assert_int_equal(strlen(text(TEXT_UTF8, most, UINT16_MAX, sizeof(most))), CODE_TEXT_BYTES - 1);
}

/* The last character is not whole: nothing is shown of it. */
static void code_text__of_utf8_is_cut_between_characters(void **state)
{
	(void)state;
	assert_string_equal(text(TEXT_UTF8, "ab\xc3\xb6", 4, 3), "ab...");
	assert_string_equal(text(TEXT_UTF8, "ab\xe2\x82\xac", 5, 4), "ab...");
	assert_string_equal(text(TEXT_UTF8, "ab\xc3\xb6z", 5, 4), "ab\xc3\xb6...");
}

static void code_text__of_no_width_is_empty(void **state)
{
	(void)state;
	assert_string_equal(text(0, "abc", 3, 128), "");
	assert_string_equal(text(3, "abc", 3, 128), "");
	assert_string_equal(text(UINT16_MAX, "abc", 3, 128), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(code_text__is_utf8_of_each_width),
		cmocka_unit_test(code_text__replaces_what_utf8_lacks),
		cmocka_unit_test(code_text__says_that_it_was_cut),
		cmocka_unit_test(code_text__that_should_be_utf8_is_kept_or_taken_for_latin1),
		cmocka_unit_test(code_text__of_utf8_is_cut_between_characters),
		cmocka_unit_test(code_text__of_no_width_is_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
