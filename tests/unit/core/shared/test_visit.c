/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Does an answer stand for as long as the task is in the kernel, and no longer? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/shared/visit.h"

#define WALK_NS 9000
#define SOON (VISIT_NS + WALK_NS / 2)
#define LATE (VISIT_NS + WALK_NS + 2)

static struct visit_now at_ns(u64 ns, u32 sign)
{
	return (struct visit_now){.ns = ns, .sleeps = 5, .sign = sign};
}

static enum visit_verdict ask(struct visit *v, struct visit_now now)
{
	return visit_of_request(v, &now);
}

static void answer(struct visit *v, struct visit_now now)
{
	visit_open(v);
	visit_resolved(v, &now, WALK_NS);
}

static void without_an_answer_it_is_another_visit(void **state)
{
	struct visit v = {0};

	assert_int_equal(ask(&v, at_ns(1, 0)), VISIT_OTHER);
	assert_int_equal(ask(&v, at_ns(1, 7)), VISIT_OTHER);
	answer(&v, at_ns(1, 7));
	visit_open(&v);
	assert_int_equal(ask(&v, at_ns(2, 7)), VISIT_OTHER);
}

static void the_same_sign_is_the_same_visit_however_long_it_takes(void **state)
{
	struct visit v = {0};
	struct visit_now later = {.ns = 1000000 * (u64)LATE, .sleeps = 99, .sign = 7};

	answer(&v, at_ns(1, 7));
	for (int i = 0; i < 5; i++)
		assert_int_equal(ask(&v, at_ns(2, 7)), VISIT_SAME);
	assert_int_equal(ask(&v, later), VISIT_SAME);
}

static void another_sign_is_another_visit_however_soon_it_is(void **state)
{
	struct visit v = {0};

	answer(&v, at_ns(1, 7));
	for (int i = 0; i < 5; i++)
		assert_int_equal(ask(&v, at_ns(2, 8)), VISIT_OTHER);
}

static void a_sign_that_comes_or_goes_is_another_visit(void **state)
{
	struct visit v = {0};

	answer(&v, at_ns(1, 0)); /* a task that was just made */
	assert_int_equal(ask(&v, at_ns(2, 8)), VISIT_OTHER);
	answer(&v, at_ns(3, 8));
	assert_int_equal(ask(&v, at_ns(4, 0)), VISIT_OTHER);
}

static void without_a_sign_the_third_walk_is_refused_for_whoever_asks_and_nothing_is_taken_for_the_same(void **state)
{
	struct visit v = {0};

	answer(&v, at_ns(1, 0));
	assert_int_equal(ask(&v, at_ns(1 + SOON, 0)), VISIT_POSSIBLE);
	answer(&v, at_ns(2 + SOON, 0));
	for (int i = 0; i < 5; i++)
		assert_int_equal(ask(&v, at_ns(2 + 2 * SOON, 0)), VISIT_UNKNOWN);
}

/* Asked soon and often, and then as in @now. */
static void expect_another(enum visit_verdict verdict, const struct visit_now *now)
{
	struct visit v = {0};

	for (int turn = 0; turn < 5; turn++) {
		answer(&v, at_ns(1, 0));
		assert_int_equal(ask(&v, *now), verdict);
		answer(&v, at_ns(1, 0));
		assert_int_equal(ask(&v, at_ns(SOON, 0)), VISIT_POSSIBLE);
		answer(&v, at_ns(1, 0));
		assert_int_equal(ask(&v, at_ns(SOON, 0)), VISIT_UNKNOWN);
	}
}

static void without_a_sign_it_is_another_visit_by_evidence(void **state)
{
	expect_another(VISIT_OTHER, &(struct visit_now){.ns = SOON, .sleeps = 5, .user_ns = 4000000});
	expect_another(VISIT_POSSIBLE, &(struct visit_now){.ns = SOON, .sleeps = 6});
	expect_another(VISIT_OTHER, &(struct visit_now){.ns = SOON, .sleeps = 5, .in_call = 1});
	expect_another(VISIT_OTHER, &(struct visit_now){.ns = SOON, .sleeps = 5, .registers = 3});
	expect_another(VISIT_POSSIBLE, &(struct visit_now){.ns = SOON, .sleeps = 5, .calls = 99});
	expect_another(VISIT_POSSIBLE, &(struct visit_now){.ns = LATE, .sleeps = 5});
	expect_another(VISIT_POSSIBLE,
		       &(struct visit_now){.ns = LATE + VISIT_PREEMPTED_NS, .sleeps = 5, .preemptions = 1, .kept = 1});
	expect_another(VISIT_POSSIBLE, &(struct visit_now){.ns = SOON, .sleeps = 5, .preemptions = 1});
}

static void what_others_do_on_the_cpu_meanwhile_is_no_evidence(void **state)
{
	struct visit_now preempted = {.ns = VISIT_PREEMPTED_NS, .sleeps = 5, .preemptions = 1, .calls = 99, .kept = 1};
	struct visit v = {0};

	answer(&v, at_ns(1, 0));
	assert_int_equal(ask(&v, preempted), VISIT_POSSIBLE);
	answer(&v, at_ns(1, 0));
	assert_int_equal(ask(&v, preempted), VISIT_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_an_answer_it_is_another_visit),
		cmocka_unit_test(the_same_sign_is_the_same_visit_however_long_it_takes),
		cmocka_unit_test(another_sign_is_another_visit_however_soon_it_is),
		cmocka_unit_test(a_sign_that_comes_or_goes_is_another_visit),
		cmocka_unit_test(
			without_a_sign_the_third_walk_is_refused_for_whoever_asks_and_nothing_is_taken_for_the_same),
		cmocka_unit_test(without_a_sign_it_is_another_visit_by_evidence),
		cmocka_unit_test(what_others_do_on_the_cpu_meanwhile_is_no_evidence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
