/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>
#include "folded_profile.h"
#include "report/show/show.h"
#include "report/model/tree.h"

/* The tree of @f on paper, to be freed. */
static char *drawn(struct folded *f, enum tree_direction direction, unsigned int keys, double limit,
		   struct show_options show)
{
	struct tree_options o = {direction, keys, limit};
	struct tree *t = NULL;
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(tree_new(&t, &f->profile, &o), 0);
	assert_int_equal(tree_show(out, t, direction, &show), 0);
	tree_free(t);
	fclose(out);
	return text;
}

/* The lines below the title are as wanted. */
static void check(char *text, const char *want)
{
	char *lines = strchr(text, '\n');

	assert_non_null(lines);
	assert_string_equal(lines + 1, want);
	free(text);
}

static const struct show_options plain, by_comm = {.column = {KEY_COMM}, .nr_columns = 1};

static void an_only_child_stands_below_its_parent(void **state)
{
	struct folded *f = *state;

	folded_add(f, "xz", "outermost", 6, "xz!main;xz!code;xz!match");
	folded_add(f, "xz", "outermost", 2, "xz!main;xz!code;c!memcpy");
	folded_add(f, "xz", "outermost", 2, "xz!main;xz!code");
	check(drawn(f, TREE_DOWN, 0, 0, plain), " 100.00%     0.00%  main  (xz)\n"
						" 100.00%    20.00%     code\n"
						"  60.00%    60.00%     ├─ match\n"
						"  20.00%    20.00%     └─ memcpy  (c)\n");
}

static void tasks_are_roots(void **state)
{
	struct folded *f = *state;
	struct show_options ascii = by_comm;

	ascii.ascii = true;
	folded_add(f, "a", "outermost", 1, "m!main;m!x");
	folded_add(f, "b b", "outermost", 3, "m!main;m!x;m!z");
	folded_add(f, "b b", "outermost", 4, "m!main;m!y");
	check(drawn(f, TREE_DOWN, KEY_COMM, 0, ascii), "  87.50%     0.00%  b b\n"
						       "  87.50%     0.00%     main  (m)\n"
						       "  50.00%    50.00%     |- y\n"
						       "  37.50%     0.00%     |- x\n"
						       "  37.50%    37.50%        z\n"
						       "  12.50%     0.00%  a\n"
						       "  12.50%     0.00%     main  (m)\n"
						       "  12.50%    12.50%     x\n");
}

static void rails_lead_past_what_is_between(void **state)
{
	struct folded *f = *state;

	folded_add(f, "a", "outermost", 5, "m!main;m!x;m!p");
	folded_add(f, "a", "outermost", 3, "m!main;m!x;m!q");
	folded_add(f, "a", "outermost", 2, "m!main;m!y");
	check(drawn(f, TREE_DOWN, 0, 0, plain), " 100.00%     0.00%  main  (m)\n"
						"  80.00%     0.00%     ├─ x\n"
						"  50.00%    50.00%     │  ├─ p\n"
						"  30.00%    30.00%     │  └─ q\n"
						"  20.00%    20.00%     └─ y\n");
}

static void callers_stand_below_what_they_called(void **state)
{
	struct folded *f = *state;

	folded_add(f, "a", "outermost", 3, "m!main;m!x;c!read");
	folded_add(f, "a", "outermost", 1, "m!main;m!y;c!read");
	folded_add(f, "a", "outermost", 1, "m!main;m!y");
	check(drawn(f, TREE_UP, 0, 0, plain), "  80.00%  read  (c)\n"
					      "  60.00%     ├─ x  (m)\n"
					      "  60.00%     │  main\n"
					      "  20.00%     └─ y  (m)\n"
					      "  20.00%        main\n"
					      "  20.00%  y  (m)\n"
					      "  20.00%     main\n");
}

static void recursion_is_drawn_as_it_was(void **state)
{
	struct folded *f = *state;

	folded_add(f, "a", "outermost", 2, "m!f;m!f;m!f");
	folded_add(f, "a", "outermost", 2, "m!f;m!f");
	check(drawn(f, TREE_DOWN, 0, 0, plain), " 100.00%     0.00%  f  (m)\n"
						" 100.00%    50.00%     f\n"
						"  50.00%    50.00%     f\n");
}

static void what_is_light_is_left_out_with_all_below(void **state)
{
	struct folded *f = *state;

	folded_add(f, "a", "outermost", 98, "m!main;m!x");
	folded_add(f, "a", "outermost", 2, "m!main;m!y;m!z");
	check(drawn(f, TREE_DOWN, 0, 2.5, plain), " 100.00%     0.00%  main  (m)\n"
						  "  98.00%    98.00%     x\n");
	check(drawn(f, TREE_UP, 0, 2.5, plain), "  98.00%  x  (m)\n"
						"  98.00%     main\n");
}

static void just_enough_is_kept(void **state)
{
	struct folded *f = *state;

	folded_add(f, "a", "outermost", 199, "m!x");
	folded_add(f, "a", "outermost", 1, "m!y");
	check(drawn(f, TREE_DOWN, 0, 0.5, plain), "  99.50%    99.50%  x  (m)\n"
						  "   0.50%     0.50%  y  (m)\n");
	check(drawn(f, TREE_DOWN, 0, 0.51, plain), "  99.50%    99.50%  x  (m)\n");
}

static void nothing_is_drawn_of_nothing(void **state)
{
	check(drawn(*state, TREE_DOWN, 0, 0.5, plain), "");
	check(drawn(*state, TREE_UP, KEY_COMM, 0.5, by_comm), "");
}

static void samples_without_frames_are_in_the_tree(void **state)
{
	struct folded *f = *state;

	folded_add(f, "a", "exiting", 1, "");
	check(drawn(f, TREE_DOWN, KEY_COMM, 0, by_comm), " 100.00%     0.00%  a\n"
							 " 100.00%   100.00%     [no stack: exiting]\n");
	check(drawn(f, TREE_UP, 0, 0, plain), " 100.00%  [no stack: exiting]\n");
}

static void rows_may_be_limited(void **state)
{
	struct folded *f = *state;
	struct show_options two = {.max_rows = 2};

	folded_add(f, "a", "outermost", 1, "m!a;m!b;m!c;m!d");
	check(drawn(f, TREE_DOWN, 0, 0, two), " 100.00%     0.00%  a  (m)\n"
					      " 100.00%     0.00%     b\n");
}

static void the_deepest_stack_is_drawn(void **state)
{
	struct folded *f = *state;
	char *stack = malloc(2048 * 16), *at = stack, *text;
	int lines = 0;

	for (int i = 0; i < 2048; i++)
		at += sprintf(at, "%sm!f%d", i ? ";" : "", i % 3);
	folded_add(f, "deep", "outermost", 1, stack);
	for (enum tree_direction d = TREE_DOWN; d <= TREE_UP; d++) {
		text = drawn(f, d, 0, 0, plain);
		for (char *c = text; (c = strchr(c, '\n')); c++)
			lines++;
		free(text);
	}
	assert_int_equal(lines, 2 * 2049);
	free(stack);
}

static void names_cannot_command_the_terminal(void **state)
{
	struct folded *f = *state;

	folded_add(f, "a\n\033[2J", "outermost", 1, "m!f");
	f->profile.functions[1].name = "ev\033]0;il\xc2\x9b\xff\r";
	check(drawn(f, TREE_DOWN, KEY_COMM, 0, by_comm),
	      " 100.00%     0.00%  a\\x0a\\x1b[2J\n"
	      " 100.00%   100.00%     ev\\x1b]0;il\\xc2\\x9b\\xff\\x0d  (m)\n");
}

static void machines_get_numbers_and_names(void **state)
{
	struct folded *f = *state;
	struct show_options csv = by_comm, json = by_comm;

	csv.form = SHOW_CSV;
	json.form = SHOW_NDJSON;
	folded_add(f, "a,\"b", "outermost", 2, "m!main;m!x");
	check(drawn(f, TREE_DOWN, KEY_COMM, 0, csv), "0,100.0000,2,0,,,\"a,\"\"b\"\n"
						     "1,100.0000,2,0,main,m,\n"
						     "2,100.0000,2,2,x,m,\n");
	check(drawn(f, TREE_DOWN, KEY_COMM, 0, json),
	      "{\"depth\":0,\"total_percent\":100,\"total\":2,\"self\":0,\"comm\":\"a,\\\"b\"}\n"
	      "{\"depth\":1,\"total_percent\":100,\"total\":2,\"self\":0,\"function\":\"main\",\"dso\":\"m\"}\n"
	      "{\"depth\":2,\"total_percent\":100,\"total\":2,\"self\":2,\"function\":\"x\",\"dso\":\"m\"}\n");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, folded_begin, folded_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_only_child_stands_below_its_parent),
		TEST(tasks_are_roots),
		TEST(rails_lead_past_what_is_between),
		TEST(callers_stand_below_what_they_called),
		TEST(recursion_is_drawn_as_it_was),
		TEST(what_is_light_is_left_out_with_all_below),
		TEST(just_enough_is_kept),
		TEST(nothing_is_drawn_of_nothing),
		TEST(samples_without_frames_are_in_the_tree),
		TEST(rows_may_be_limited),
		TEST(the_deepest_stack_is_drawn),
		TEST(names_cannot_command_the_terminal),
		TEST(machines_get_numbers_and_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
