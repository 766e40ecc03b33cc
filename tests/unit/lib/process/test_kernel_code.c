/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which BPF program was at an address, and when? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>
#include "lib/process/kernel_code.h"

#define BEGUN 1000

static const char *name_at(struct kernel_code *k, uint64_t address, uint64_t time_ns)
{
	struct code_loads loads = {0};
	struct code_lives lives = {0};
	const struct code_life *life;
	const char *name;

	assert_int_equal(kernel_code_loads(k, address, &loads), 0);
	assert_int_equal(code_lives_find(&lives, &loads), 0);
	life = code_lives_at(&lives, time_ns, time_ns);
	name = life ? life->name : "";
	vec_done(&lives);
	vec_done(&loads);
	return name;
}

static void kernel_code__a_program_is_named_while_it_is_there(void **state)
{
	struct kernel_code k = {.begun_ns = BEGUN};

	kernel_code_came(&k, 0x1000, 0x100, "a", 2000);
	kernel_code_went(&k, 0x1000, 0x100, "a", 3000);
	kernel_code_came(&k, 0x0fc0, 0x80, "b", 4000); /* over its beginning */
	kernel_code_came(&k, 0x1040, 0x40, "c", 5000);
	assert_string_equal(name_at(&k, 0x1010, 1999), "");
	assert_string_equal(name_at(&k, 0x1010, 2000), "a");
	assert_string_equal(name_at(&k, 0x10ff, 2999), "a");
	assert_string_equal(name_at(&k, 0x1100, 2500), "");
	assert_string_equal(name_at(&k, 0x1010, 3000), "");
	assert_string_equal(name_at(&k, 0x1010, 4000), "b");
	assert_string_equal(name_at(&k, 0x1040, 4500), "");
	assert_string_equal(name_at(&k, 0x1040, 5500), "c");
	assert_string_equal(name_at(&k, 0x1090, 5500), "");
	kernel_code_done(&k);
}

static void kernel_code__what_goes_without_coming_was_there(void **state)
{
	struct kernel_code k = {.begun_ns = BEGUN};

	kernel_code_went(&k, 0x1000, 0x100, "old", 3000);
	kernel_code_came(&k, 0x1000, 0x100, "new", 4000);
	assert_string_equal(name_at(&k, 0x1010, BEGUN), "old");
	assert_string_equal(name_at(&k, 0x1010, 3500), "");
	assert_string_equal(name_at(&k, 0x1010, 4500), "new");
	kernel_code_done(&k);
}

/* They come by a ring of each CPU, and one that is read first may say what came later. */
static void kernel_code__notes_come_in_any_order(void **state)
{
	static const struct {
		const char *name;
		uint64_t time_ns;
		bool went;
	} notes[] = {{"old", 2000, true}, {"a", 3000, false}, {"a", 4000, true}, {"b", 5000, false}, {"b", 6000, true}};

	for (size_t order = 0; order < 120; order++) {
		struct kernel_code k = {.begun_ns = BEGUN};
		size_t left[] = {0, 1, 2, 3, 4}, rest = order;

		for (size_t nr = 5; nr; rest /= nr, nr--) {
			size_t i = rest % nr, n = left[i];

			(notes[n].went ? kernel_code_went : kernel_code_came)(&k, 0x1000, 0x100, notes[n].name,
									      notes[n].time_ns);
			left[i] = left[nr - 1];
		}
		assert_string_equal(name_at(&k, 0x1010, 1500), "old");
		assert_string_equal(name_at(&k, 0x1010, 2500), "");
		assert_string_equal(name_at(&k, 0x1010, 3500), "a");
		assert_string_equal(name_at(&k, 0x1010, 4500), "");
		assert_string_equal(name_at(&k, 0x1010, 5500), "b");
		assert_string_equal(name_at(&k, 0x1010, 6500), "");
		kernel_code_done(&k);
	}
}

static void kernel_code__what_replaces_another_ends_it(void **state)
{
	struct kernel_code k = {.begun_ns = BEGUN};

	kernel_code_came(&k, 0x1000, 0x100, "b", 5000); /* that the one before it went was lost */
	kernel_code_came(&k, 0x1000, 0x100, "a", 3000);
	assert_string_equal(name_at(&k, 0x1010, 4000), "a");
	assert_string_equal(name_at(&k, 0x1010, 5500), "b");
	kernel_code_done(&k);
}

/* What was there in a gap may have been replaced, and what came then may have been so at once. */
static void kernel_code__a_gap_leaves_no_name_that_may_be_wrong(void **state)
{
	struct kernel_code k = {.begun_ns = BEGUN};

	kernel_code_came(&k, 0x1000, 0x100, "unknown", 2000);
	kernel_code_came(&k, 0x2000, 0x100, "went", 2000);
	kernel_code_came(&k, 0x3000, 0x100, "stays", 2000);
	kernel_code_came(&k, 0x4000, 0x100, "replaced", 2000);
	kernel_code_came(&k, 0x5000, 0x100, "within", 3500);
	assert_int_equal(kernel_code_gap(&k, 3000, 4000), 0);
	kernel_code_went(&k, 0x2000, 0x100, "went", 5000);
	kernel_code_came(&k, 0x4000, 0x100, "later", 5000);
	kernel_code_stays(&k, 0x3000, 0x100);
	assert_string_equal(name_at(&k, 0x1010, 2500), "unknown");
	assert_string_equal(name_at(&k, 0x1010, 4500), "");
	assert_string_equal(name_at(&k, 0x2010, 4500), "went");
	assert_string_equal(name_at(&k, 0x2010, 5500), "");
	assert_string_equal(name_at(&k, 0x3010, 5500), "stays");
	assert_string_equal(name_at(&k, 0x4010, 2500), "replaced");
	assert_string_equal(name_at(&k, 0x4010, 4500), "");
	assert_string_equal(name_at(&k, 0x4010, 5500), "later");
	assert_string_equal(name_at(&k, 0x5010, 3600), "");
	kernel_code_done(&k);
}

/* Each ring has its own. */
static void kernel_code__gaps_overlap_and_come_in_any_order(void **state)
{
	static const uint64_t gaps[][2] = {{5000, 6000}, {3000, 9000}, {4000, 4500}};
	static const size_t orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

	for (size_t order = 0; order < 6; order++) {
		struct kernel_code k = {.begun_ns = BEGUN};

		kernel_code_came(&k, 0x1000, 0x100, "a", 2000);
		kernel_code_came(&k, 0x2000, 0x100, "b", 7000);
		kernel_code_came(&k, 0x3000, 0x100, "c", 9500);
		for (size_t i = 0; i < 3; i++)
			assert_int_equal(kernel_code_gap(&k, gaps[orders[order][i]][0], gaps[orders[order][i]][1]), 0);
		assert_string_equal(name_at(&k, 0x1010, 2999), "a");
		assert_string_equal(name_at(&k, 0x1010, 3000), "");
		assert_string_equal(name_at(&k, 0x2010, 7001), "");
		assert_string_equal(name_at(&k, 0x3010, 9999), "c");
		kernel_code_done(&k);
	}
}

static void kernel_code__nothing_is_beyond_the_end_of_a_program(void **state)
{
	struct kernel_code k = {.begun_ns = BEGUN};

	assert_true(kernel_code_holds(&k, 0x1000, 0x9000)); /* no sizes are known */
	kernel_code_stays(&k, 0x1000, 0x2100);
	assert_true(kernel_code_holds(&k, 0x1000, 0x30ff));
	assert_false(kernel_code_holds(&k, 0x1000, 0x3100));
	assert_true(kernel_code_holds(&k, 0x8000, 0x8fff)); /* a trampoline */
	assert_false(kernel_code_holds(&k, 0x8000, 0x9000));
	kernel_code_done(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernel_code__a_program_is_named_while_it_is_there),
		cmocka_unit_test(kernel_code__what_goes_without_coming_was_there),
		cmocka_unit_test(kernel_code__notes_come_in_any_order),
		cmocka_unit_test(kernel_code__what_replaces_another_ends_it),
		cmocka_unit_test(kernel_code__a_gap_leaves_no_name_that_may_be_wrong),
		cmocka_unit_test(kernel_code__gaps_overlap_and_come_in_any_order),
		cmocka_unit_test(kernel_code__nothing_is_beyond_the_end_of_a_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
