/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>
#include "folded_profile.h"
#include "report/model/program.h"
#include "report/show/show.h"

struct both {
	struct folded before, after;
};

static int begin(void **state)
{
	struct both *b = malloc(sizeof(*b));

	folded_init(&b->before);
	folded_init(&b->after);
	*state = b;
	return 0;
}

static int end(void **state)
{
	struct both *b = *state;

	folded_done(&b->before);
	folded_done(&b->after);
	free(b);
	return 0;
}

static struct diff *made(struct both *b, struct diff_options o)
{
	struct diff *d = NULL;

	assert_int_equal(diff_new(&d, &b->before.profile, &b->after.profile, &o), 0);
	return d;
}

/* The difference as CSV, below the line of columns, is @want. */
static void check(struct both *b, struct diff_options o, struct show_options show, const char *want)
{
	struct diff *d = made(b, o);
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	show.form = SHOW_CSV;
	assert_int_equal(diff_show(out, d, &show), 0);
	diff_free(d);
	fclose(out);
	assert_string_equal(strchr(text, '\n') + 1, want);
	free(text);
}

/* The chance of a function with these counts, beside others that fill up to all samples. */
static double chance(struct both *b, int before, int all_before, int after, int all_after, bool absolute)
{
	struct diff_options o = {.absolute = absolute};
	double ret = -1;
	struct diff *d;

	folded_add(&b->before, "a", "outermost", before, "m!f");
	folded_add(&b->before, "a", "outermost", all_before - before, "m!other");
	folded_add(&b->after, "a", "outermost", after, "m!f");
	folded_add(&b->after, "a", "outermost", all_after - after, "m!other");
	d = made(b, o);
	for (size_t i = 0; i < d->nr; i++)
		if (!strcmp(strings_text(&d->names, d->rows[i].key), "f"))
			ret = diff_chance(d, &d->rows[i]);
	diff_free(d);
	return ret;
}

static void near(double got, double want, double tolerance)
{
	if (fabs(got - want) > tolerance)
		fail_msg("%g is not %g", got, want);
}

static void functions_meet_by_name_and_module(void **state)
{
	struct both *b = *state;

	folded_add(&b->before, "x", "outermost", 6, "m!main;m!f");
	folded_add(&b->before, "x", "outermost", 4, "m!main;n!f");
	folded_add(&b->after, "y", "outermost", 1, "m!main;m!g");
	folded_add(&b->after, "y", "outermost", 3, "m!main;m!f");
	folded_add(&b->after, "y", "outermost", 1, "m!f");
	check(b, (struct diff_options){0}, (struct show_options){.max_rows = 2},
	      "-40.0000,40.0000,0.0000,4,0,0.2308,,f,n\n"
	      "20.0000,60.0000,80.0000,6,4,0.6004,,f,m\n");
	check(b, (struct diff_options){.total = true}, (struct show_options){.max_rows = 1},
	      "-40.0000,40.0000,0.0000,4,0,0.2308,,f,n\n");
}

static uint32_t program(const struct folded *f)
{
	uint32_t ret;

	assert_int_equal(program_of(&ret, &f->profile), 0);
	return ret;
}

/* The program is what has main(), or calls libc's start, not what most samples are in. */
static void a_program_meets_its_other_name(void **state)
{
	struct both *b = *state;
	uint32_t old, new;
	bool shares;

	folded_add(&b->before, "x", "outermost", 5,
		   "/a/old!_start;/lib/libc.so!__libc_start_main;/a/old!main;/a/old!f");
	folded_add(&b->before, "x", "outermost", 5,
		   "/a/old!_start;/lib/libc.so!__libc_start_main;/a/old!main;/lib/libc.so!g");
	folded_add(&b->after, "y", "outermost", 9, "/b/new!_start;/lib/libc.so!__libc_start_main;/lib/libc.so!g");
	folded_add(&b->after, "y", "outermost", 1, "/b/new!_start;/lib/libc.so!__libc_start_main;/b/new!f");
	old = program(&b->before);
	new = program(&b->after);
	assert_string_equal(program_name(&b->before.profile, old), "old");
	assert_string_equal(program_name(&b->after.profile, new), "new");
	assert_int_equal(program_shares(&shares, &b->before.profile, old, &b->after.profile, new), 0);
	assert_true(shares);
	check(b, (struct diff_options){.program = {"old", "new"}}, (struct show_options){0},
	      "-40.0000,50.0000,10.0000,5,1,0.1409,,f,new\n"
	      "40.0000,50.0000,90.0000,5,9,0.1409,,g,libc.so\n");
	folded_add(&b->after, "y", "outermost", 1, "/b/third!main;/b/third!_start;/b/third!h");
	for (uint32_t i = 1; i < b->after.profile.nr_modules; i++)
		if (!strcmp(program_name(&b->after.profile, i), "third"))
			new = i;
	assert_int_equal(program_shares(&shares, &b->before.profile, old, &b->after.profile, new), 0);
	assert_false(shares);
}

static void stacks_meet_by_the_names_of_all_frames(void **state)
{
	struct both *b = *state;

	folded_add(&b->before, "x", "outermost", 5, "m!main;m!f;m!g");
	folded_add(&b->before, "x", "outermost", 5, "m!main;m!g;m!f");
	folded_add(&b->after, "x", "outermost", 8, "m!main;m!f;m!g");
	folded_add(&b->after, "x", "outermost", 2, "m!main;m!f;m!");
	check(b, (struct diff_options){.stacks = true}, (struct show_options){0},
	      "-50.0000,50.0000,0.0000,5,0,0.03251,*,\"main;g;f\"\n"
	      "30.0000,50.0000,80.0000,5,8,0.3498,,\"main;f;g\"\n"
	      "20.0000,0.0000,20.0000,0,2,0.4737,,\"main;f;m+0x60\"\n");
}

static void time_counts_what_a_sample_stands_for(void **state)
{
	struct both *b = *state;

	b->after.profile.period_ns = b->before.profile.period_ns / 10;
	folded_add(&b->before, "x", "outermost", 10, "m!f");
	folded_add(&b->after, "x", "outermost", 200, "m!f");
	check(b, (struct diff_options){.absolute = true}, (struct show_options){0},
	      "0.1010,0.1010,0.2020,10,200,0.0291,*,f,m\n");
}

static void what_changed_little_is_left_out(void **state)
{
	struct both *b = *state;

	folded_add(&b->before, "x", "outermost", 90, "m!f");
	folded_add(&b->before, "x", "outermost", 10, "m!g");
	folded_add(&b->after, "x", "outermost", 88, "m!f");
	folded_add(&b->after, "x", "outermost", 11, "m!g");
	folded_add(&b->after, "x", "outermost", 1, "m!h");
	check(b, (struct diff_options){0}, (struct show_options){.percent_limit = 1.5},
	      "-2.0000,90.0000,88.0000,90,88,0.6513,,f,m\n");
}

static void the_same_twice_has_no_difference(void **state)
{
	near(chance(*state, 50, 100, 50, 100, false), 1, 1e-9);
}

/* All together 12 %: z = 0.04 / sqrt(0.12 * 0.88 * 2 / 1000) = 2.753. */
static void many_samples_are_tested_by_their_proportions(void **state)
{
	near(chance(*state, 100, 1000, 140, 1000, false), 0.005916, 1e-6);
}

/* The sum over C(20, 12 - i) C(180, i) / C(200, 12) for i from 0 to 6. */
static void few_samples_are_tested_exactly(void **state)
{
	near(chance(*state, 6, 20, 6, 180, false), 0.0002954, 1e-7);
}

/* (C(9, 0) + C(9, 1) + C(9, 8) + C(9, 9)) / 2^9. */
static void few_times_are_tested_exactly(void **state)
{
	near(chance(*state, 1, 1, 8, 8, true), 20 / 512.0, 1e-9);
}

static void nothing_is_claimed_of_nothing(void **state)
{
	struct both *b = *state;

	check(b, (struct diff_options){0}, (struct show_options){0}, "");
	folded_add(&b->after, "x", "outermost", 100, "m!f");
	check(b, (struct diff_options){0}, (struct show_options){0}, "100.0000,0.0000,100.0000,0,100,1,,f,m\n");
	check(b, (struct diff_options){.stacks = true}, (struct show_options){0},
	      "100.0000,0.0000,100.0000,0,100,1,,f\n");
}

static void marks_have_three_steps(void **state)
{
	assert_string_equal(diff_mark(0.05), "");
	assert_string_equal(diff_mark(0.049), "*");
	assert_string_equal(diff_mark(0.0099), "**");
	assert_string_equal(diff_mark(0.00099), "***");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(functions_meet_by_name_and_module),
		TEST(a_program_meets_its_other_name),
		TEST(stacks_meet_by_the_names_of_all_frames),
		TEST(time_counts_what_a_sample_stands_for),
		TEST(what_changed_little_is_left_out),
		TEST(the_same_twice_has_no_difference),
		TEST(many_samples_are_tested_by_their_proportions),
		TEST(few_samples_are_tested_exactly),
		TEST(few_times_are_tested_exactly),
		TEST(nothing_is_claimed_of_nothing),
		TEST(marks_have_three_steps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
