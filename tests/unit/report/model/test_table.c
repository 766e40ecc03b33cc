/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Tables, and what they stand on: labels, groups, weights, totals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>
#include "folded_profile.h"
#include "report/model/completeness.h"
#include "report/show/show.h"
#include "report/model/table.h"
#include "report/model/aggregate.h"

#define FUNCTIONS (KEY_FUNCTION | KEY_DSO)

static struct table *table_of(struct folded *f, unsigned int keys)
{
	struct table *t = NULL;

	assert_int_equal(table_new(&t, &f->profile, keys, BY_COUNT), 0);
	return t;
}

static const struct table_row *row_of(const struct table *t, const char *comm, const char *function)
{
	const struct table_row *found = NULL;

	for (size_t i = 0; i < t->nr; i++) {
		const struct table_row *r = &t->rows[i];
		const char *of = t->groups->v[r->group].comm;

		if (strcmp(label_function(t->labels, r->label), function) || (comm && strcmp(of, comm)))
			continue;
		assert_null(found); /* one row each */
		found = r;
	}
	return found;
}

static void check(const struct table *t, const char *comm, const char *function, uint64_t self, uint64_t total)
{
	const struct table_row *r = row_of(t, comm, function);

	assert_non_null(r);
	assert_int_equal(r->self, self);
	assert_int_equal(r->total, total);
}

/* Static functions of two sources; and one that is at the same place in two builds of the file. */
static void table__functions_of_one_name_are_rows_of_their_own(void **state)
{
	struct folded *f = *state;
	struct table *t;

	folded_add(f, "a", "outermost", 3, "/old/m!helper");
	folded_add(f, "a", "outermost", 4, "/old/m!helper");
	folded_add(f, "a", "outermost", 5, "/old/m!helper");
	folded_add(f, "a", "outermost", 6, "/new/m!helper");
	for (uint32_t i = 1; i <= 4; i++) {
		f->profile.frames[i].address = (i == 3 ? 0x2000 : 0x1000) + 4 * i + (i == 4);
		f->profile.frames[i].function_offset = 4 * i;
	}
	t = table_of(f, FUNCTIONS);
	assert_int_equal(t->nr, 2);
	assert_int_equal(t->rows[0].self, 13);
	assert_int_equal(t->rows[1].self, 5);
	assert_string_equal(label_function(t->labels, t->rows[1].label), "helper");
	assert_string_equal(label_module(t->labels, t->rows[1].label), "m");
	table_free(t);
}

static void self_is_of_the_innermost_and_total_of_all(void **state)
{
	struct folded *f = *state;
	struct table *t;

	folded_add(f, "xz", "outermost", 3, "xz!main;lib!code;lib!match");
	folded_add(f, "xz", "outermost", 2, "xz!main;lib!code");
	folded_add(f, "xz", "outermost", 5, "xz!main");
	t = table_of(f, FUNCTIONS);
	assert_int_equal(t->all, 10);
	assert_int_equal(t->nr, 3);
	check(t, NULL, "main", 5, 10);
	check(t, NULL, "code", 2, 5);
	check(t, NULL, "match", 3, 3);
	assert_ptr_equal(row_of(t, NULL, "main"), &t->rows[0]); /* most self first */
	assert_ptr_equal(row_of(t, NULL, "code"), &t->rows[2]);
	table_free(t);
}

static void recursion_counts_once_in_total(void **state)
{
	struct folded *f = *state;
	struct table *t;

	folded_add(f, "a", "outermost", 4, "a!main;a!walk;a!visit;a!walk;a!visit;a!walk");
	folded_add(f, "a", "outermost", 1, "a!main;a!walk;a!walk;a!walk;a!leaf");
	t = table_of(f, FUNCTIONS);
	check(t, NULL, "main", 0, 5);
	check(t, NULL, "walk", 4, 5);
	check(t, NULL, "visit", 0, 4);
	check(t, NULL, "leaf", 1, 1);
	table_free(t);
}

static void the_same_function_on_two_branches_adds_up(void **state)
{
	struct folded *f = *state;
	struct table *t;

	folded_add(f, "a", "outermost", 1, "a!main;a!left;c!malloc");
	folded_add(f, "a", "outermost", 2, "a!main;a!right;c!malloc");
	t = table_of(f, FUNCTIONS);
	check(t, NULL, "malloc", 3, 3);
	table_free(t);
}

static void functions_of_one_name_in_two_modules_are_two(void **state)
{
	struct folded *f = *state;
	struct table *t;

	folded_add(f, "a", "outermost", 1, "a!main;x!init");
	folded_add(f, "a", "outermost", 1, "a!main;y!init");
	t = table_of(f, FUNCTIONS);
	assert_int_equal(t->nr, 3);
	table_free(t);
}

static void an_empty_profile_is_an_empty_table(void **state)
{
	struct folded *f = *state;
	struct table *t = table_of(f, FUNCTIONS);

	assert_int_equal(t->nr, 0);
	assert_int_equal(t->all, 0);
	table_free(t);
}

static void one_sample_is_a_hundred_percent(void **state)
{
	struct folded *f = *state;
	struct table *t;

	folded_add(f, "a", "outermost", 1, "a!main");
	t = table_of(f, FUNCTIONS);
	assert_int_equal(t->nr, 1);
	check(t, NULL, "main", 1, 1);
	table_free(t);
}

static void code_without_a_symbol_is_named_by_its_place(void **state)
{
	struct folded *f = *state;
	struct table *t;

	folded_add(f, "a", "outermost", 1, "/usr/bin/tool!main;/usr/lib/libx.so.1!");
	f->profile.frames[2].address = 0x1234;
	t = table_of(f, FUNCTIONS);
	check(t, NULL, "libx.so.1+0x1234", 1, 1);
	assert_string_equal(label_module(t->labels, row_of(t, NULL, "libx.so.1+0x1234")->label), "libx.so.1");
	table_free(t);
}

static void samples_without_a_frame_are_named_by_their_outcome(void **state)
{
	struct folded *f = *state;
	struct table *t;

	folded_add(f, "a", "exiting", 2, "");
	folded_add(f, "kworker", "kernel-thread", 1, "");
	folded_add(f, "kworker", "kernel-thread", 4, "[kernel]!worker_thread");
	t = table_of(f, FUNCTIONS);
	check(t, NULL, "[no stack: exiting]", 2, 2);
	check(t, NULL, "[no stack: kernel-thread]", 1, 1);
	check(t, NULL, "worker_thread", 4, 4);
	assert_int_equal(t->all, 7);
	table_free(t);
}

static void rows_may_be_of_tasks_and_functions(void **state)
{
	struct folded *f = *state;
	struct table *t;

	folded_add(f, "a", "outermost", 1, "m!main;c!read");
	folded_add(f, "b", "outermost", 2, "m!main;c!read");
	folded_add(f, "b", "outermost", 3, "m!main");
	t = table_of(f, KEY_COMM | FUNCTIONS);
	assert_int_equal(t->nr, 4);
	check(t, "a", "main", 0, 1);
	check(t, "a", "read", 1, 1);
	check(t, "b", "main", 3, 5);
	check(t, "b", "read", 2, 2);
	table_free(t);
}

/* Two groups that share nodes: what one leaves behind must not be in the other. */
static void groups_that_share_stacks_are_kept_apart(void **state)
{
	struct folded *f = *state;
	struct table *t;

	folded_add(f, "a", "outermost", 7, "m!main;c!read;c!wait");
	folded_samples(f, "b", "outermost", 5, 2);
	folded_samples(f, "a", "outermost", 1, 1);
	t = table_of(f, KEY_COMM | FUNCTIONS);
	check(t, "a", "main", 1, 8);
	check(t, "a", "read", 0, 7);
	check(t, "a", "wait", 7, 7);
	check(t, "b", "main", 0, 5);
	check(t, "b", "read", 5, 5);
	assert_int_equal(t->nr, 5);
	table_free(t);
}

static void rows_of_tasks_only_need_no_stacks(void **state)
{
	struct folded *f = *state;
	struct table *t;

	folded_add(f, "a", "outermost", 1, "m!main");
	folded_add(f, "b", "exiting", 2, "");
	t = table_of(f, KEY_COMM | KEY_PID);
	assert_int_equal(t->nr, 2);
	assert_null(t->labels);
	assert_string_equal(t->groups->v[t->rows[0].group].comm, "b");
	assert_int_equal(t->rows[0].self, 2);
	assert_int_equal(t->groups->v[t->rows[0].group].pid, 101);
	table_free(t);
}

static void modules_count_once_in_total_too(void **state)
{
	struct folded *f = *state;
	struct table *t;

	folded_add(f, "a", "outermost", 3, "m!main;c!qsort;m!compare;c!strcmp");
	t = table_of(f, KEY_DSO);
	assert_int_equal(t->nr, 2);
	assert_string_equal(label_module(t->labels, t->rows[0].label), "c");
	assert_int_equal(t->rows[0].self, 3);
	assert_int_equal(t->rows[0].total, 3);
	assert_int_equal(t->rows[1].self, 0);
	assert_int_equal(t->rows[1].total, 3);
	table_free(t);
}

static void selections_choose_tasks_and_modules(void **state)
{
	struct folded *f = *state;
	const char *comm[] = {"b c", "none"}, *dso[] = {"libx.so"}, *path[] = {"/lib/libx.so"};
	pid_t pid[] = {100};
	const struct selection by_comm = {.comm = comm, .nr_comm = 2}, by_pid = {.pid = pid, .nr_pid = 1},
			       by_dso = {.dso = dso, .nr_dso = 1}, by_path = {.dso = path, .nr_dso = 1};
	const struct {
		const struct selection *selection;
		uint64_t samples;
	} cases[] = {{&by_comm, 2}, {&by_pid, 11}, {&by_dso, 4}, {&by_path, 4}};

	folded_add(f, "a", "outermost", 1, "m!main");
	folded_add(f, "b c", "outermost", 2, "m!main");
	folded_add(f, "a", "outermost", 4, "m!main;/lib/libx.so!x");
	folded_add(f, "a", "exiting", 6, "");
	for (int i = 0; i < 4; i++) {
		struct filter filter = {.only = *cases[i].selection};
		struct filtered seen = {0};
		struct table *t = NULL;

		assert_int_equal(filtered_init(&seen, &f->profile, &filter), 0);
		assert_int_equal(table_new(&t, &seen.profile, FUNCTIONS, BY_COUNT), 0);
		assert_int_equal(t->all, cases[i].samples);
		table_free(t);
		filtered_done(&seen);
	}
}

static void the_deepest_stack_is_walked(void **state)
{
	struct folded *f = *state;
	char *stack = malloc(2048 * 16), *at = stack;
	struct table *t;

	for (int i = 0; i < 2048; i++)
		at += sprintf(at, "%sm!f%d", i ? ";" : "", i % 7);
	folded_add(f, "deep", "outermost", 3, stack);
	t = table_of(f, FUNCTIONS);
	assert_int_equal(t->nr, 7);
	for (size_t i = 0; i < t->nr; i++)
		assert_int_equal(t->rows[i].total, 3);
	check(t, NULL, "f3", 3, 3); /* 2047 % 7 */
	table_free(t);
	free(stack);
}

static int in_order(void *ctx, const struct weight *w)
{
	const struct dusk_profile *p = ctx;
	bool done[64] = {false};

	for (uint32_t i = 0; i < w->nr; i++) {
		uint32_t parent = place_parent(p, w->place[i]);

		assert_false(done[w->place[i]]);
		assert_false(parent && done[parent]);
		done[w->place[i]] = true;
	}
	assert_int_equal(w->nr, 8);
	assert_int_equal(w->total[1].count, 4);
	return 0;
}

static void children_are_weighed_before_parents(void **state)
{
	static const uint32_t parents[] = {0, 0, 1, 2, 1, 2, 4, 1}; /* a tree with branches in any order */
	static const uint32_t samples[] = {7, 3, 5, 6};
	struct folded *f = *state;
	struct groups *g;

	for (uint32_t i = 1; i < 8; i++)
		assert_int_equal(folded_node(f, parents[i], folded_module(f, "m"), 0), i);
	for (int i = 0; i < 4; i++)
		folded_samples(f, "a", "outermost", 1, samples[i]);
	folded_samples(f, "a", "exiting", 1, 0);
	assert_int_equal(groups_new(&g, &f->profile, 0), 0);
	assert_int_equal(aggregate(&f->profile, g, in_order, &f->profile), 0);
	groups_free(g);
}

static void complete_is_of_those_that_have_a_user_stack(void **state)
{
	struct folded *f = *state;
	struct completeness l;

	folded_add(f, "a", "outermost", 6, "m!main");
	folded_add(f, "a", "no-fde", 1, "m!main");
	folded_add(f, "a", "exiting", 1, "");
	folded_add(f, "k", "kernel-thread", 100, "[kernel]!kthread");
	assert_int_equal(completeness_init(&l, &f->profile), 0);
	assert_int_equal(l.samples, 108);
	assert_int_equal(l.complete, 6);
	assert_int_equal(l.cut, 1);
	assert_int_equal(l.no_stack, 1);
	assert_int_equal(l.absent, 100);
	assert_int_equal(l.stacks, 3);
	assert_true(complete_percent(&l) == 75);
	completeness_done(&l);
}

static void nothing_is_completely_there(void **state)
{
	struct folded *f = *state;
	struct completeness l;

	assert_int_equal(completeness_init(&l, &f->profile), 0);
	assert_true(complete_percent(&l) == 100);
	completeness_done(&l);
}

static void only_all_is_a_hundred_percent(void **state)
{
	char text[16];

	assert_string_equal(percent_text(text, 100), "100.00");
	assert_string_equal(percent_text(text, 100.0 * 999999 / 1000000), "99.99");
	assert_string_equal(percent_text(text, 0.0001), "0.01");
	assert_string_equal(percent_text(text, 0), "0.00");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, folded_begin, folded_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(table__functions_of_one_name_are_rows_of_their_own),
		TEST(self_is_of_the_innermost_and_total_of_all),
		TEST(recursion_counts_once_in_total),
		TEST(the_same_function_on_two_branches_adds_up),
		TEST(functions_of_one_name_in_two_modules_are_two),
		TEST(an_empty_profile_is_an_empty_table),
		TEST(one_sample_is_a_hundred_percent),
		TEST(code_without_a_symbol_is_named_by_its_place),
		TEST(samples_without_a_frame_are_named_by_their_outcome),
		TEST(rows_may_be_of_tasks_and_functions),
		TEST(groups_that_share_stacks_are_kept_apart),
		TEST(rows_of_tasks_only_need_no_stacks),
		TEST(modules_count_once_in_total_too),
		TEST(selections_choose_tasks_and_modules),
		TEST(the_deepest_stack_is_walked),
		TEST(children_are_weighed_before_parents),
		TEST(complete_is_of_those_that_have_a_user_stack),
		TEST(nothing_is_completely_there),
		TEST(only_all_is_a_hundred_percent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
