/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Whose stacks end in JIT code without frame pointers, and is the advice that of its runtime? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>
#include "folded_profile.h"
#include "report/model/missing_frame_pointers.h"

#define JAVA "Java 17, 21 and 25 need none; others: java -XX:+PreserveFramePointer"

static struct dusk_outcome outcomes[] = {
	{"outermost", "", DUSK_COMPLETE},
	{"no-fde", "", DUSK_CUT},
	{"jit", "", DUSK_CUT},
};

static int begin(void **state)
{
	int err = folded_begin(state);
	struct folded *f = *state;

	f->profile.outcomes = outcomes;
	f->profile.nr_outcomes = sizeof(outcomes) / sizeof(outcomes[0]);
	return err;
}

static void check(struct folded *f, enum time_base kind, size_t row, const char *program, const char *remedy,
		  uint64_t weight)
{
	struct missing_fp *found;
	size_t nr;

	assert_int_equal(missing_fp_find(&found, &nr, &f->profile, kind), 0);
	assert_true(row < nr);
	assert_string_equal(found[row].program, program);
	assert_non_null(strstr(found[row].remedy, remedy));
	assert_int_equal(found[row].weight, weight);
	free(found);
}

static size_t programs(struct folded *f, enum time_base kind)
{
	struct missing_fp *found;
	size_t nr;

	assert_int_equal(missing_fp_find(&found, &nr, &f->profile, kind), 0);
	free(found);
	return nr;
}

static void the_files_of_all_stacks_tell_the_runtime(void **state)
{
	struct folded *f = *state;

	folded_add(f, "java", "outermost", 1, "java!main;/usr/lib/jvm/libjvm.so!run");
	folded_add(f, "java", "jit", 7, "[anon]!");
	folded_add(f, "node", "outermost", 2, "/usr/bin/node!");
	folded_add(f, "node", "jit", 3, "[anon]!");
	folded_add(f, "own", "jit", 5, "[anon]!;libown.so!f");
	assert_int_equal(programs(f, TIME_BASE_CPU), 3);
	check(f, TIME_BASE_CPU, 0, "java", JAVA, 7);
	check(f, TIME_BASE_CPU, 1, "own", "frame pointers", 5);
	check(f, TIME_BASE_CPU, 2, "node", "--interpreted-frames-native-stack", 3);
}

static void a_program_with_several_processes_is_named_once_after_their_first_threads(void **state)
{
	struct folded *f = *state;

	folded_add(f, "java", "outermost", 1, "libjvm.so!run");
	folded_add(f, "C2 CompilerThread", "jit", 2, "[anon]!");
	folded_add(f, "java2", "jit", 3, "libjvm.so!run;[anon]!");
	f->profile.threads[1].pid = f->profile.threads[0].pid;
	f->profile.threads[2].comm = "java";
	assert_int_equal(programs(f, TIME_BASE_CPU), 1);
	check(f, TIME_BASE_CPU, 0, "java", JAVA, 5);
}

static void what_ends_otherwise_or_elsewhere_is_not_reported(void **state)
{
	struct folded *f = *state;

	assert_int_equal(programs(f, TIME_BASE_CPU), 0);
	folded_add(f, "java", "no-fde", 4, "libjvm.so!run;[anon]!");
	folded_interval(f, "java", (struct dusk_sample){.outcome = 2, .value_ns = 500}, "[anon]!");
	assert_int_equal(programs(f, TIME_BASE_CPU), 0);
	check(f, TIME_BASE_OFF_CPU, 0, "java", JAVA, 500);
	check(f, TIME_BASE_WALL, 0, "java", JAVA, 500);
}

static void it_is_shown_behind_a_mark_or_not_at_all(void **state)
{
	struct folded *f = *state;
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	missing_fp_show(out, &f->profile, TIME_BASE_CPU, "#");
	fflush(out);
	assert_int_equal(len, 0);
	folded_add(f, "java", "jit", 7, "libjvm.so!run;[anon]!");
	missing_fp_show(out, &f->profile, TIME_BASE_CPU, "#");
	fclose(out);
	assert_non_null(strstr(text, "#         7  java: " JAVA "\n"));
	free(text);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, folded_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_files_of_all_stacks_tell_the_runtime),
		TEST(a_program_with_several_processes_is_named_once_after_their_first_threads),
		TEST(what_ends_otherwise_or_elsewhere_is_not_reported),
		TEST(it_is_shown_behind_a_mark_or_not_at_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
