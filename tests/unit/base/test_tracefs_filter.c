/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Does a filter lead where it should, for all outcomes of its comparisons, and is said where one is none? */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "base/tracefs_filter.h"

static struct tracefs_filter f;

static void parse(const char *text)
{
	const char *why;
	size_t at;

	if (tracefs_filter_parse(&f, text, &at, &why))
		fail_msg("%s: at %zu: %s", text, at, why);
}

/* Follow the filter, where comparison i holds if bit i of @holds is set. */
static bool passes(unsigned int holds)
{
	uint8_t next = 0;

	for (int i = 0; i < FILTER_STEPS && next < FILTER_STEPS; i++) {
		uint8_t to = holds >> next & 1 ? f.step[next].yes : f.step[next].no;

		assert_true(to > next && to <= FILTER_ACCEPT); /* forward only, so that it ends */
		next = to;
	}
	return next == FILTER_ACCEPT;
}

#define A (holds & 1)
#define B (holds >> 1 & 1)
#define C (holds >> 2 & 1)
#define D (holds >> 3 & 1)
#define IS(text, formula)                                             \
	do {                                                          \
		parse(text);                                          \
		for (unsigned int holds = 0; holds < 16; holds++)     \
			assert_int_equal(passes(holds), !!(formula)); \
	} while (0)

static void tracefs_filter__leads_where_it_should(void **state)
{
	IS("a==1", A);
	IS("!(a == 1)", !A);
	IS("!a == 1", !A);
	IS("a == 1 && b == 2", A && B);
	IS("a == 1 || b == 2", A || B);
	IS("a==1||b==2&&c==3", A || (B && C));
	IS("(a==1||b==2)&&c==3", (A || B) && C);
	IS("!(a==1||b==2)&&c==3", !(A || B) && C);
	IS("a==1 && (b==2 || !(c==3 && d==4))", A && (B || !(C && D)));
	IS("!(!(a==1) || (b==2 && !c==3)) || d==4", !(!A || (B && !C)) || D);
	IS("a==1||b==2||c==3||d==4", A || B || C || D);
	IS("((((a==1))))", A);
}

static void tracefs_filter__comparisons_are_taken(void **state)
{
	parse("a.b_1 >= -0x10 && c ~ \"post*\" && d & 4 && e != 'x' && g ~ \"x\"");
	assert_int_equal(f.nr, 5);
	assert_string_equal(f.step[0].field, "a.b_1");
	assert_int_equal(f.step[0].compare, FILTER_LESS); /* and what follows the other way round */
	assert_int_equal(f.step[0].yes, FILTER_REJECT);
	assert_int_equal(f.step[0].number, -16);
	assert_true(f.step[1].is_text && f.step[1].is_prefix);
	assert_string_equal(f.step[1].text, "post");
	assert_int_equal(f.step[2].compare, FILTER_BITS);
	assert_string_equal(f.step[3].text, "x");
	assert_false(f.step[3].is_prefix);
	assert_false(f.step[4].is_prefix);
}

static void refused(const char *text, size_t where, const char *reason)
{
	const char *why = NULL;
	size_t at;

	assert_int_equal(tracefs_filter_parse(&f, text, &at, &why), -EINVAL);
	if (at != where || !strstr(why, reason))
		fail_msg("%s: at %zu, not %zu: %s", text, at, where, why);
}

static void tracefs_filter__what_is_wrong_is_shown(void **state)
{
	char many[1024] = "a==1";

	refused("", 0, "the name of a field");
	refused("a", 1, "& or ~ is missing");
	refused("a == ", 5, "a number, or a text");
	refused("a == b", 5, "a number, or a text");
	refused("a == 12x", 5, "no number");
	refused("a == 99999999999999999999999", 5, "no number");
	refused("1 == a", 0, "the name of a field");
	refused("a == 1 &&", 9, "the name of a field");
	refused("a == 1 b == 2", 7, "&& or || is missing");
	refused("(a == 1", 7, "a ) is missing");
	refused("a == 1)", 6, "&& or || is missing");
	refused("a == \"x", 5, "no end");
	refused("a < \"x\"", 4, "a text is compared by");
	refused("a ~ 1", 4, "~ needs a text");
	refused("a ~ \"*x\"", 4, "with one *, at the end");
	refused("a == \"0123456789012345678901234567890123456789\"", 5, "longer than 31");
	for (int i = 0; i < FILTER_STEPS; i++)
		strcat(many, "||a==1");
	refused(many, 6 * FILTER_STEPS, "more than 16");
	memset(many, '(', 100);
	refused(many, 33, "too deep");
	memset(many, '!', 100);
	refused(many, 33, "too deep");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tracefs_filter__leads_where_it_should),
		cmocka_unit_test(tracefs_filter__comparisons_are_taken),
		cmocka_unit_test(tracefs_filter__what_is_wrong_is_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
