/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Of which interpreters do stacks lack the functions of the language, and is the advice true of them? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>
#include "folded_profile.h"
#include "report/model/interpreters.h"

static const char *advice(struct folded *f, const char *file, uint64_t weight)
{
	struct interpreter *found;
	const char *remedy = NULL;
	size_t nr;

	assert_int_equal(interpreters_find(&found, &nr, &f->profile, TIME_BASE_CPU), 0);
	for (size_t i = 0; i < nr; i++)
		if (!strcmp(f->profile.modules[found[i].module].path, file)) {
			assert_int_equal(found[i].weight, weight);
			remedy = found[i].remedy;
		}
	free(found);
	return remedy;
}

static void python_is_advised_by_its_version(void **state)
{
	static const char new[] = "/opt/lib/libpython3.12.so.1.0", newer[] = "/usr/bin/python3.13";
	static const char old[] = "/usr/bin/python3.9", oldest[] = "/usr/bin/python2.7";
	struct folded *f = *state;

	folded_add(f, "a", "outermost", 3, "/usr/bin/env!main;/opt/lib/libpython3.12.so.1.0!_PyEval_EvalFrameDefault");
	folded_add(f, "b", "outermost", 1, "/usr/bin/python3.13!main");
	folded_add(f, "c", "outermost", 1, "/usr/bin/python3.9!main");
	folded_add(f, "d", "outermost", 1, "/usr/bin/python2.7!main");
	assert_ptr_equal(strstr(advice(f, new, 3), "python3 -X perf"), advice(f, new, 3));
	assert_ptr_equal(strstr(advice(f, newer, 1), "python3 -X perf"), advice(f, newer, 1));
	assert_non_null(strstr(advice(f, old, 1), "this one does not"));
	assert_non_null(strstr(advice(f, oldest, 1), "this one does not"));
}

static void a_process_with_names_needs_no_advice(void **state)
{
	struct folded *f = *state;

	folded_add(f, "named", "outermost", 1, "/usr/bin/python3.12!main;[anon]!py::crunch");
	folded_add(f, "named", "outermost", 7, "/usr/bin/python3.12!main");
	assert_null(advice(f, "/usr/bin/python3.12", 7));
	folded_add(f, "unnamed", "outermost", 2, "/usr/bin/python3.12!main;[anon]!");
	assert_non_null(advice(f, "/usr/bin/python3.12", 2));
}

/* Not even to those of its processes of which none were seen, as while they start. */
static void python_whose_code_is_shown_gets_no_advice(void **state)
{
	struct folded *f = *state;

	folded_add(f, "shown", "outermost", 3, "/usr/bin/python3.9!main;/srv/app.py!crunch");
	folded_add(f, "starting", "outermost", 1, "/usr/bin/python3.12!main");
	folded_add(f, "perl", "outermost", 4, "/usr/bin/perl!main");
	assert_null(advice(f, "/usr/bin/python3.9", 3));
	assert_null(advice(f, "/usr/bin/python3.12", 1));
	assert_non_null(advice(f, "/usr/bin/perl", 4));
}

/* Code of one language says nothing of another one. */
static void only_the_language_whose_code_is_shown_gets_no_advice(void **state)
{
	struct folded *f = *state;

	folded_add(f, "shown", "outermost", 3, "/usr/bin/php8.2!main;/usr/bin/php8.2!execute_ex;/srv/app.php!{main}");
	folded_add(f, "apache", "outermost", 1, "/usr/lib/apache2/modules/libphp8.2.so!main");
	folded_add(f, "python", "outermost", 4, "/usr/bin/python3.9!main");
	assert_null(advice(f, "/usr/bin/php8.2", 3));
	assert_null(advice(f, "/usr/lib/apache2/modules/libphp8.2.so", 1));
	assert_non_null(advice(f, "/usr/bin/python3.9", 4));
}

static void php_without_its_functions_is_advised(void **state)
{
	struct folded *f = *state;

	folded_add(f, "php", "outermost", 3, "/usr/bin/php8.3!main;/usr/bin/php8.3!execute_ex");
	assert_non_null(strstr(advice(f, "/usr/bin/php8.3", 3), "PHP 8.2 and 8.4"));
}

static void where_nothing_helps_that_is_said(void **state)
{
	struct folded *f = *state;

	folded_add(f, "perl", "outermost", 4, "/usr/bin/perl!main;/usr/bin/perl!Perl_runops_standard");
	assert_non_null(strstr(advice(f, "/usr/bin/perl", 4), "nothing"));
}

static void programs_of_other_languages_get_no_advice(void **state)
{
	struct folded *f = *state;

	folded_add(f, "c", "outermost", 4, "/usr/bin/c!main;/usr/lib/libc.so.6!qsort");
	assert_null(advice(f, "/usr/bin/c", 4));
	assert_null(advice(f, "/usr/lib/libc.so.6", 4));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, folded_begin, folded_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(python_is_advised_by_its_version),
		TEST(a_process_with_names_needs_no_advice),
		TEST(python_whose_code_is_shown_gets_no_advice),
		TEST(where_nothing_helps_that_is_said),
		TEST(programs_of_other_languages_get_no_advice),
		TEST(only_the_language_whose_code_is_shown_gets_no_advice),
		TEST(php_without_its_functions_is_advised),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
