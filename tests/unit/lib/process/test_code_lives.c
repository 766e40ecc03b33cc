/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which function was at an address when: known where it is certain, else not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>
#include "lib/process/code_lives.h"

#define EXACT(t, name) {t, t, CODE_STAYS, 0x1000, name, 0}
#define BETWEEN(after, by, name) {after, by, CODE_STAYS, 0x1000, name, 0}

static const char *name_at(const struct code_load *loads, size_t nr, uint64_t from_ns, uint64_t to_ns)
{
	struct code_loads l = {0};
	struct code_lives lives = {0};
	const struct code_life *life;
	const char *name;

	assert_int_equal(vec_append(&l, loads, nr), 0);
	assert_int_equal(code_lives_find(&lives, &l), 0);
	life = code_lives_at(&lives, from_ns, to_ns);
	name = life ? life->name : "";
	vec_done(&lives);
	vec_done(&l);
	return name;
}

#define NAME(loads, from, to) name_at(loads, sizeof(loads) / sizeof(*(loads)), from, to)

static void code_lives__a_load_replaces_what_was_there(void **state)
{
	static const struct code_load loads[] = {EXACT(200, "b"), EXACT(100, "a"), EXACT(300, "a")};

	assert_string_equal(NAME(loads, 99, 99), "");
	assert_string_equal(NAME(loads, 100, 199), "a");
	assert_string_equal(NAME(loads, 200, 299), "b");
	assert_string_equal(NAME(loads, 300, 999), "a");
	assert_string_equal(NAME(loads, 150, 250), "");
	assert_string_equal(NAME(loads, 199, 200), "");
}

static void code_lives__a_sum_may_begin_before_the_first_load(void **state)
{
	static const struct code_load loads[] = {EXACT(100, "a"), EXACT(200, "b")};

	assert_string_equal(NAME(loads, 50, 150), "a");
	assert_string_equal(NAME(loads, 50, 99), "");
	assert_string_equal(NAME(loads, 50, 250), "");
}

static void code_lives__what_is_gone_leaves_nothing(void **state)
{
	static const struct code_load loads[] = {{100, 100, 150, 0x1000, "a", 0}, EXACT(200, "b")};
	static const struct code_load over[] = {EXACT(100, "under"), {200, 200, 250, 0x1000, "over", 0}};

	assert_string_equal(NAME(loads, 149, 149), "a");
	assert_string_equal(NAME(loads, 150, 150), "");
	assert_string_equal(NAME(loads, 120, 220), "");
	assert_string_equal(NAME(over, 199, 199), "under");
	assert_string_equal(NAME(over, 300, 300), ""); /* it was written over */
}

static void code_lives__between_two_it_is_neither(void **state)
{
	static const struct code_load loads[] = {BETWEEN(0, 100, "a"), BETWEEN(200, 300, "b")};

	assert_string_equal(NAME(loads, 1, 1), "a");
	assert_string_equal(NAME(loads, 199, 199), "a");
	assert_string_equal(NAME(loads, 200, 200), "");
	assert_string_equal(NAME(loads, 299, 299), "");
	assert_string_equal(NAME(loads, 300, 300), "b");
	assert_string_equal(NAME(loads, 100, 250), "");
}

static void code_lives__of_unknown_order_only_one_is_known(void **state)
{
	static const struct code_load same[] = {BETWEEN(0, CODE_STAYS, "a"), BETWEEN(0, CODE_STAYS, "a")};
	static const struct code_load two[] = {BETWEEN(0, CODE_STAYS, "a"), BETWEEN(0, CODE_STAYS, "b")};
	static const struct code_load back[] = {BETWEEN(0, CODE_STAYS, "a"), BETWEEN(0, CODE_STAYS, "b"),
						BETWEEN(0, CODE_STAYS, "a")};

	assert_string_equal(NAME(same, 1, 1000), "a");
	assert_string_equal(NAME(two, 1, 1), "");
	assert_string_equal(NAME(two, 1000, 1000), "");
	assert_string_equal(NAME(back, 1000, 1000), "");
}

/* A JIT says the same in a dump and in a map, in other words; and another one has what only the map has. */
static void code_lives__the_exact_one_of_two_files_counts(void **state)
{
	static const struct code_load loads[] = {BETWEEN(100, 200, "map a"), EXACT(150, "dump a"),
						 BETWEEN(300, 400, "map b"), EXACT(500, "dump c")};

	assert_string_equal(NAME(loads, 150, 299), "dump a");
	assert_string_equal(NAME(loads, 350, 350), "");
	assert_string_equal(NAME(loads, 400, 499), "map b");
	assert_string_equal(NAME(loads, 500, 500), "dump c");
}

static void code_lives__the_same_again_is_no_change(void **state)
{
	static const struct code_load loads[] = {
		EXACT(100, "a"), EXACT(200, "a"), {300, 300, 400, 0x1000, "a", 0}, EXACT(500, "a")};
	static const struct code_load elsewhere[] = {EXACT(100, "a"), {200, 200, CODE_STAYS, 0x0ff0, "a", 0}};

	assert_string_equal(NAME(loads, 100, 399), "a");
	assert_string_equal(NAME(loads, 399, 400), "");
	assert_string_equal(NAME(loads, 500, 600), "a");
	assert_string_equal(NAME(elsewhere, 150, 250), ""); /* its distance from the start differs */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(code_lives__a_load_replaces_what_was_there),
		cmocka_unit_test(code_lives__a_sum_may_begin_before_the_first_load),
		cmocka_unit_test(code_lives__what_is_gone_leaves_nothing),
		cmocka_unit_test(code_lives__between_two_it_is_neither),
		cmocka_unit_test(code_lives__of_unknown_order_only_one_is_known),
		cmocka_unit_test(code_lives__the_exact_one_of_two_files_counts),
		cmocka_unit_test(code_lives__the_same_again_is_no_change),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
