/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Are sums kept under the cookie of their walk, and does the adder learn when there is no room? (All orders: tests/model.) */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/shared/aggregation.h"

#define COOKIE 7

static struct defer word;
static struct task_sums list;

/* A task of which consumer 0 has asked for the stack. */
static int fresh(void **state)
{
	u64 cookie;

	word.word = 0;
	memset(&list, 0, sizeof(list));
	return defer_request(&word, 0, COOKIE, &cookie) != DEFER_SCHEDULE;
}

static u32 add(u64 cookie, u32 consumer, u64 key, u64 amount)
{
	struct task_sum what = {.key = key, .amount = amount, .count = 1, .consumer = consumer};

	return task_sums_add(&list, &word, cookie, &what);
}

static u64 take(void)
{
	u64 cookie;

	return defer_take(&word, &cookie);
}

static void fill(void)
{
	for (u32 i = 0; i < TASK_SUMS; i++)
		assert_int_equal(add(COOKIE, 0, i, 1), SUM_KEPT);
}

static void a_key_is_kept_once_with_its_sum(void **state)
{
	assert_int_equal(add(COOKIE, 0, 5, 100), SUM_KEPT);
	assert_int_equal(add(COOKIE, 0, 6, 1), SUM_KEPT);
	assert_int_equal(add(COOKIE, 0, 5, 20), SUM_KEPT);
	assert_int_equal(list.nr, 2);
	assert_int_equal(list.sum[0].amount, 120);
	assert_int_equal(list.sum[0].count, 2);
	assert_int_equal(list.sum[1].amount, 1);
}

static void the_same_key_of_two_consumers_is_two_sums(void **state)
{
	add(COOKIE, 0x101, 5, 100);
	add(COOKIE, 0x201, 5, 20); /* in the same slot, but another generation */
	assert_int_equal(list.nr, 2);
	assert_int_equal(list.sum[0].amount, 100);
	assert_int_equal(list.sum[1].amount, 20);
}

static void sums_are_settled_once_and_under_their_cookie_only(void **state)
{
	add(COOKIE, 0, 5, 100);
	take();
	assert_false(task_sums_take(&list, COOKIE + 1));
	assert_true(task_sums_take(&list, COOKIE));
	assert_false(task_sums_take(&list, COOKIE));
	assert_int_equal(list.nr, 1);
	task_sums_release(&list);
	assert_false(task_sums_take(&list, COOKIE));
}

static void where_nothing_was_added_nothing_is_settled(void **state)
{
	assert_false(task_sums_take(&list, COOKIE));
}

static void the_list_is_good_for_the_next_cookie_when_it_is_settled(void **state)
{
	u64 cookie;

	fill();
	take();
	assert_true(task_sums_take(&list, COOKIE));
	task_sums_release(&list);
	defer_request(&word, 0, COOKIE + 1, &cookie);
	assert_int_equal(add(COOKIE + 1, 0, 5, 3), SUM_KEPT);
	assert_int_equal(list.nr, 1);
	assert_int_equal(list.sum[0].amount, 3);
	assert_int_equal(list.sum[0].count, 1);
}

static void a_full_list_still_adds_to_the_keys_that_it_has(void **state)
{
	fill();
	assert_int_equal(add(COOKIE, 0, TASK_SUMS, 1), SUM_ELSEWHERE);
	assert_int_equal(add(COOKIE, 0, 0, 10), SUM_KEPT);
	assert_int_equal(list.sum[0].amount, 11);
	assert_int_equal(list.nr, TASK_SUMS);
}

static void who_finds_no_room_is_made_known_to_the_walk(void **state)
{
	fill();
	add(COOKIE, 0, TASK_SUMS, 1);
	assert_int_equal(take(), 1 | DEFER_ELSEWHERE);
}

static void who_finds_room_is_not(void **state)
{
	fill();
	assert_int_equal(take(), 1);
}

static void while_somebody_is_at_work_there_is_no_room(void **state)
{
	add(COOKIE, 0, 5, 1);
	list.owner |= 1; /* that is what an interrupt on top of task_sums_add() finds */
	assert_int_equal(add(COOKIE, 0, 5, 10), SUM_ELSEWHERE);
	list.owner &= ~1ULL;
	assert_int_equal(list.sum[0].amount, 1);
	assert_int_equal(add(COOKIE, 0, 5, 100), SUM_KEPT);
	assert_int_equal(list.sum[0].amount, 101);
}

static void sums_of_another_cookie_are_not_touched(void **state)
{
	u64 cookie;

	add(COOKIE, 0, 5, 1);
	take();
	defer_request(&word, 0, COOKIE + 1, &cookie);
	assert_int_equal(add(COOKIE + 1, 0, 5, 10), SUM_ELSEWHERE);
	assert_true(task_sums_take(&list, COOKIE));
	assert_int_equal(list.sum[0].amount, 1);
	assert_int_equal(take(), 1 | DEFER_ELSEWHERE);
}

static void who_comes_when_the_walk_is_over_settles_himself(void **state)
{
	take();
	assert_int_equal(add(COOKIE, 0, 5, 10), SUM_ORPHANED);
	assert_int_equal(list.nr, 1);
	assert_int_equal(list.sum[0].amount, 10);
	assert_int_equal(add(COOKIE, 0, 5, 10), SUM_LATE); /* and meanwhile no one adds */
	task_sums_release(&list);
	assert_int_equal(list.owner, 0);
}

static void even_if_he_finds_no_room(void **state)
{
	fill();
	take();
	assert_int_equal(add(COOKIE, 0, TASK_SUMS, 10), SUM_LATE | SUM_ORPHANED);
	assert_int_equal(list.nr, TASK_SUMS);
	task_sums_release(&list);
}

int main(void)
{
#define fresh_test(name) cmocka_unit_test_setup(name, fresh)
	const struct CMUnitTest tests[] = {
		fresh_test(a_key_is_kept_once_with_its_sum),
		fresh_test(the_same_key_of_two_consumers_is_two_sums),
		fresh_test(sums_are_settled_once_and_under_their_cookie_only),
		fresh_test(where_nothing_was_added_nothing_is_settled),
		fresh_test(the_list_is_good_for_the_next_cookie_when_it_is_settled),
		fresh_test(a_full_list_still_adds_to_the_keys_that_it_has),
		fresh_test(who_finds_no_room_is_made_known_to_the_walk),
		fresh_test(who_finds_room_is_not),
		fresh_test(while_somebody_is_at_work_there_is_no_room),
		fresh_test(sums_of_another_cookie_are_not_touched),
		fresh_test(who_comes_when_the_walk_is_over_settles_himself),
		fresh_test(even_if_he_finds_no_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
