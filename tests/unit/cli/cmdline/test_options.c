/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "cli/cmdline/options.h"

#define COUNT(a) ((int)(sizeof(a) / sizeof((a)[0])))
#define SECOND 1000000000ULL

struct wishes {
	bool quiet, verbose;
	const char *output;
	uint32_t frequency;
	double limit;
	uint64_t duration, bytes;
	struct number_list cpus;
	struct text_list names;
	const char *color;
};

static const char *color_choice(size_t i)
{
	return i == 0 ? "red" : i == 1 ? "green" : NULL;
}

static const struct option table[] = {
	{'q', "quiet", OPTION_FLAG, offsetof(struct wishes, quiet), NULL, "no words"},
	{'v', "verbose", OPTION_FLAG, offsetof(struct wishes, verbose), NULL, "many words"},
	{'o', "output", OPTION_TEXT, offsetof(struct wishes, output), "FILE", "a file"},
	{'F', "freq", OPTION_NUMBER, offsetof(struct wishes, frequency), "HZ", "a rate", 1, 1000},
	{0, "percent-limit", OPTION_PERCENT, offsetof(struct wishes, limit), "P", "a percentage"},
	{'d', "duration", OPTION_DURATION, offsetof(struct wishes, duration), "TIME", "a time"},
	{0, "mem", OPTION_SIZE, offsetof(struct wishes, bytes), "SIZE", "a size", 512 << 10, 512 << 20},
	{'C', "cpu", OPTION_NUMBERS, offsetof(struct wishes, cpus), "CPUS", "numbers", 0, 4095},
	{0, "comm", OPTION_TEXTS, offsetof(struct wishes, names), "NAMES", "names"},
	{'k', "color", OPTION_CHOICE, offsetof(struct wishes, color), "[COLOR]", "a color", .choice = color_choice},
	{0},
};

static struct wishes w;
static struct options_result result;

static int parse(int argc, char **argv)
{
	options_done(table, &w);
	w = (struct wishes){0};
	return options_parse(table, argc, argv, &w, &result);
}

/* Parse a command line of words. */
#define PARSE(...)                                          \
	({                                                  \
		const char *words[] = {"cmd", __VA_ARGS__}; \
		parse(COUNT(words), (char **)words);        \
	})

#define REFUSED(part, ...)                                                      \
	do {                                                                    \
		assert_int_equal(PARSE(__VA_ARGS__), -EINVAL);                  \
		if (!strstr(result.error, part))                                \
			fail_msg("'%s' does not say '%s'", result.error, part); \
	} while (0)

static void a_value_may_stand_in_four_ways(void **state)
{
	assert_int_equal(PARSE("--output=a"), 0);
	assert_string_equal(w.output, "a");
	assert_int_equal(PARSE("--output", "b"), 0);
	assert_string_equal(w.output, "b");
	assert_int_equal(PARSE("-o", "c"), 0);
	assert_string_equal(w.output, "c");
	assert_int_equal(PARSE("-od"), 0);
	assert_string_equal(w.output, "d");
}

static void a_value_may_look_like_an_option(void **state)
{
	assert_int_equal(PARSE("-o", "-q"), 0);
	assert_string_equal(w.output, "-q");
	assert_false(w.quiet);
}

static void flags_may_be_bundled_and_end_in_a_value(void **state)
{
	assert_int_equal(PARSE("-qvF", "50"), 0);
	assert_true(w.quiet && w.verbose);
	assert_int_equal(w.frequency, 50);
	assert_int_equal(PARSE("-qF50"), 0);
	assert_int_equal(w.frequency, 50);
}

static void two_dashes_end_the_options(void **state)
{
	assert_int_equal(PARSE("-q", "--", "-v"), 0);
	assert_int_equal(result.next, 3);
	assert_true(result.ended);
	assert_false(w.verbose);
}

static void the_first_other_word_ends_the_options(void **state)
{
	assert_int_equal(PARSE("-q", "ls", "-v"), 0);
	assert_int_equal(result.next, 2);
	assert_false(result.ended);
	assert_false(w.verbose);
	assert_int_equal(PARSE("-"), 0);
	assert_int_equal(result.next, 1);
}

static void help_is_always_there(void **state)
{
	assert_int_equal(PARSE("--help"), 0);
	assert_true(result.help);
	assert_int_equal(PARSE("-qh"), 0);
	assert_true(result.help);
	assert_int_equal(PARSE("-q"), 0);
	assert_false(result.help);
}

static void an_unknown_option_is_named_with_the_nearest_one(void **state)
{
	REFUSED("'--outptu'; did you mean --output?", "--outptu");
	REFUSED("did you mean --freq?", "--frequency=9");
	REFUSED("did you mean --help?", "--hlep");
	REFUSED("unknown option '-x'", "-qx");
	REFUSED("unknown option '--zzzzzzzz'", "--zzzzzzzz");
	assert_null(strstr(result.error, "did you mean"));
}

static void abbreviations_are_refused(void **state)
{
	REFUSED("did you mean --output?", "--out", "x");
}

static void a_missing_or_needless_value_is_named(void **state)
{
	REFUSED("--output needs a value: FILE", "--output");
	REFUSED("--freq needs a value: HZ", "-F");
	REFUSED("--quiet takes no value", "--quiet=1");
	REFUSED("not empty", "--output=");
}

static void numbers_stay_within_their_limits(void **state)
{
	assert_int_equal(PARSE("-F1000"), 0);
	assert_int_equal(w.frequency, 1000);
	REFUSED("from 1 to 1000", "-F0");
	REFUSED("from 1 to 1000", "-F1001");
	REFUSED("from 1 to 1000", "-F-1");
	REFUSED("from 1 to 1000", "-F99999999999999999999999");
	REFUSED("from 1 to 1000", "-F9x");
	REFUSED("from 1 to 1000", "--freq=");
}

static void durations_have_units(void **state)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} good[] = {
		{"10s", 10 * SECOND}, {"500ms", SECOND / 2},	{"2m", 120 * SECOND}, {"1h", 3600 * SECOND},
		{"3", 3 * SECOND},    {"1.5s", SECOND * 3 / 2}, {"0.25", SECOND / 4}, {"1.5h", 5400 * SECOND},
	};
	static const char *const bad[] = {"", "s", "5x", "-1s", "1e3", "10 s", "99999999999h", "1.2.3", "5sm"};
	uint64_t ns = 42;

	for (int i = 0; i < COUNT(good); i++) {
		assert_int_equal(duration_parse(good[i].text, &ns), 0);
		assert_int_equal(ns, good[i].ns);
	}
	ns = 42;
	for (int i = 0; i < COUNT(bad); i++)
		assert_int_equal(duration_parse(bad[i], &ns), -EINVAL);
	assert_int_equal(ns, 42);
	REFUSED("such as 10s", "-d0");
}

static void sizes_have_units_and_a_range(void **state)
{
	assert_int_equal(PARSE("--mem=16M"), 0);
	assert_int_equal(w.bytes, 16 << 20);
	assert_int_equal(PARSE("--mem", "512K"), 0);
	assert_int_equal(w.bytes, 512 << 10);
	assert_int_equal(PARSE("--mem=536870912"), 0);
	assert_int_equal(w.bytes, 512 << 20);
	REFUSED("--mem takes a size from 512K to 512M, not '511K'", "--mem=511K");
	REFUSED("not '536870913'", "--mem=536870913");
	REFUSED("not '1G'", "--mem=1G");
	REFUSED("not '17179869185G'", "--mem=17179869185G");
	REFUSED("not '1MB'", "--mem=1MB");
	REFUSED("not 'M'", "--mem=M");
}

static void percentages_end_at_a_hundred(void **state)
{
	assert_int_equal(PARSE("--percent-limit=0.5"), 0);
	assert_true(w.limit == 0.5);
	assert_int_equal(PARSE("--percent-limit=100%"), 0);
	assert_true(w.limit == 100);
	REFUSED("0 to 100", "--percent-limit=100.1");
	REFUSED("0 to 100", "--percent-limit=x");
}

static void lists_have_ranges(void **state)
{
	static const int want[] = {1, 2, 5, 6, 7};

	assert_int_equal(PARSE("-C", "1,2,5-7"), 0);
	assert_int_equal(w.cpus.nr, 5);
	assert_memory_equal(w.cpus.v, want, sizeof(want));
	assert_int_equal(PARSE("-C0"), 0);
	assert_int_equal(w.cpus.nr, 1);
}

static void broken_lists_are_refused(void **state)
{
	static const char *const bad[] = {"1,", ",1", "1,,2", "7-5", "1-", "-3", "4096", "a", "1 2", "0-4096"};

	for (int i = 0; i < COUNT(bad); i++)
		REFUSED("--cpu takes a list", "-C", bad[i]);
}

static void a_list_given_twice_counts_as_the_last_one_says(void **state)
{
	assert_int_equal(PARSE("-C1,2,3", "-C9", "--comm=a,b", "--comm", "c,d,e"), 0);
	assert_int_equal(w.cpus.nr, 1);
	assert_int_equal(w.cpus.v[0], 9);
	assert_int_equal(w.names.nr, 3);
	assert_string_equal(w.names.v[0], "c");
	assert_string_equal(w.names.v[2], "e");
}

static void names_may_have_blanks(void **state)
{
	assert_int_equal(PARSE("--comm=V8 Worker,x"), 0);
	assert_string_equal(w.names.v[0], "V8 Worker");
	REFUSED("not empty", "--comm=,");
}

static void the_help_names_every_option(void **state)
{
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	options_help(f, table);
	fclose(f);
	for (const struct option *o = table; o->name; o++) {
		char want[64];

		snprintf(want, sizeof(want), "--%s%s%s ", o->name, o->value ? " " : "", o->value ? o->value : "");
		assert_non_null(strstr(text, want));
		assert_non_null(strstr(text, o->help));
	}
	assert_non_null(strstr(text, "-h, --help"));
	free(text);
}

static void a_choice_is_one_of_its_words_or_the_first(void **state)
{
	assert_int_equal(PARSE("--color", "green", "x"), 0);
	assert_string_equal(w.color, "green");
	assert_int_equal(result.next, 3);
	assert_int_equal(PARSE("--color", "blue"), 0);
	assert_string_equal(w.color, "red");
	assert_int_equal(result.next, 2);
	assert_int_equal(PARSE("-k", "-q"), 0);
	assert_string_equal(w.color, "red");
	assert_true(w.quiet);
	assert_int_equal(PARSE("--color=green"), 0);
	assert_string_equal(w.color, "green");
	REFUSED("takes red or green, not 'blue'", "--color=blue");
}

static void suggestions_are_near(void **state)
{
	static const char *const names[] = {"record", "report", "script", "info", NULL};

	assert_string_equal(suggest("recrod", names), "record");
	assert_string_equal(suggest("reprt", names), "report");
	assert_string_equal(suggest("scrpt", names), "script");
	assert_string_equal(suggest("rec", names), "record");
	assert_null(suggest("zebra", names));
	assert_null(suggest("", names));
	assert_null(suggest("a word that is far too long to be one of those names", names));
}

static int cleanup(void **state)
{
	options_done(table, &w);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_value_may_stand_in_four_ways),
		cmocka_unit_test(a_value_may_look_like_an_option),
		cmocka_unit_test(flags_may_be_bundled_and_end_in_a_value),
		cmocka_unit_test(two_dashes_end_the_options),
		cmocka_unit_test(the_first_other_word_ends_the_options),
		cmocka_unit_test(help_is_always_there),
		cmocka_unit_test(an_unknown_option_is_named_with_the_nearest_one),
		cmocka_unit_test(abbreviations_are_refused),
		cmocka_unit_test(a_missing_or_needless_value_is_named),
		cmocka_unit_test(numbers_stay_within_their_limits),
		cmocka_unit_test(durations_have_units),
		cmocka_unit_test(sizes_have_units_and_a_range),
		cmocka_unit_test(percentages_end_at_a_hundred),
		cmocka_unit_test(lists_have_ranges),
		cmocka_unit_test(broken_lists_are_refused),
		cmocka_unit_test(a_list_given_twice_counts_as_the_last_one_says),
		cmocka_unit_test(names_may_have_blanks),
		cmocka_unit_test(the_help_names_every_option),
		cmocka_unit_test(a_choice_is_one_of_its_words_or_the_first),
		cmocka_unit_test(suggestions_are_near),
	};

	return cmocka_run_group_tests(tests, NULL, cleanup);
}
