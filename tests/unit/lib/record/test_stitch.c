/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Samples and stacks, joined by cookie: in either order, none twice, and none wrongly. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "lib/record/stitch.h"

#define MANY 20000

struct seen {
	u64 nr, last_time;
	u64 cookies;
};

static void count(void *ctx, const struct waiting *w)
{
	struct seen *seen = ctx;

	seen->nr++;
	seen->last_time = w->sample.time_ns;
}

static void count_left(void *ctx, u64 cookie, const struct waiting *w)
{
	struct seen *seen = ctx;

	assert_int_equal(w->sample.time_ns, cookie * 10);
	seen->nr++;
	seen->cookies += cookie;
}

static struct waiting at_time(u64 time_ns)
{
	return (struct waiting){.sample = {.time_ns = time_ns}};
}

static void a_stack_serves_all_samples_that_wait_for_it(void **state)
{
	struct stitch *s = stitch_new();
	struct waiting one = at_time(1), two = at_time(2), other = at_time(3);
	struct seen seen = {0};
	u32 node = 77;
	u8 outcome = 78;

	assert_int_equal(stitch_sample(s, 10, &one, &node, &outcome), 0);
	assert_int_equal(stitch_sample(s, 11, &other, &node, &outcome), 0);
	assert_int_equal(stitch_sample(s, 10, &two, &node, &outcome), 0);
	assert_int_equal(node, 77);
	assert_int_equal(outcome, 78);
	assert_int_equal(stitch_nr_waiting(s), 3);
	stitch_stack(s, 10, 5, 6, count, &seen);
	assert_int_equal(seen.nr, 2);
	assert_int_equal(stitch_nr_waiting(s), 1);
	stitch_stack(s, 11, 5, 6, count, &seen);
	assert_int_equal(seen.nr, 3);
	assert_int_equal(seen.last_time, 3);
	stitch_free(s);
}

static void a_stack_that_came_first_is_remembered(void **state)
{
	struct stitch *s = stitch_new();
	struct waiting w = at_time(1);
	struct seen seen = {0};
	u32 node = 0;
	u8 outcome = 0;

	stitch_stack(s, 10, 5, 6, count, &seen);
	assert_int_equal(seen.nr, 0);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(stitch_sample(s, 10, &w, &node, &outcome), 1);
		assert_int_equal(node, 5);
		assert_int_equal(outcome, 6);
	}
	assert_int_equal(stitch_nr_waiting(s), 0);
	assert_int_equal(stitch_sample(s, 11, &w, &node, &outcome), 0);
	stitch_free(s);
}

static void who_waits_is_served_once(void **state)
{
	struct stitch *s = stitch_new();
	struct waiting w = at_time(1);
	struct seen seen = {0};
	u32 node;
	u8 outcome;

	stitch_sample(s, 10, &w, &node, &outcome);
	stitch_stack(s, 10, 5, 6, count, &seen);
	stitch_stack(s, 10, 5, 6, count, &seen);
	assert_int_equal(seen.nr, 1);
	stitch_free(s);
}

static void who_waits_for_the_same_stack_is_served_with_it(void **state)
{
	struct stitch *s = stitch_new();
	struct waiting before = at_time(1), late = at_time(2), other = at_time(3);
	struct seen seen = {0};
	u32 node = 0;
	u8 outcome = 0;

	assert_int_equal(stitch_sample(s, 11, &before, &node, &outcome), 0);
	assert_int_equal(stitch_sample(s, 13, &other, &node, &outcome), 0);
	assert_int_equal(stitch_same(s, 11, 10, &node, &outcome), 0);
	assert_int_equal(stitch_same(s, 13, 12, &node, &outcome), 0);
	stitch_stack(s, 10, 5, 6, count, &seen);
	assert_int_equal(seen.nr, 1);
	assert_int_equal(seen.last_time, 1);
	assert_int_equal(stitch_sample(s, 11, &late, &node, &outcome), 1);
	assert_int_equal(node, 5);
	assert_int_equal(stitch_same(s, 14, 10, &node, &outcome), 1);
	assert_int_equal(node, 5);
	assert_int_equal(outcome, 6);
	assert_int_equal(stitch_nr_waiting(s), 1);
	stitch_free(s);
}

/* Each third stack is lost: its samples wait to the end, and get none of the others. */
static void what_is_lost_leaves_samples_that_wait_and_no_wrong_ones(void **state)
{
	struct stitch *s = stitch_new();
	struct seen lost = {0};
	u64 cookies = 0, nr = 0;

	for (u64 cookie = 1; cookie <= MANY; cookie++) {
		struct waiting w = at_time(cookie * 10);
		struct seen seen = {0};
		bool first = cookie % 2;
		u32 node = 0;
		u8 outcome = 0;

		if (cookie % 3 == 0) {
			assert_int_equal(stitch_sample(s, cookie, &w, &node, &outcome), 0);
			cookies += cookie;
			nr++;
		} else if (first) {
			stitch_stack(s, cookie, (u32)cookie, 1, count, &seen);
			assert_int_equal(stitch_sample(s, cookie, &w, &node, &outcome), 1);
			assert_int_equal(node, cookie);
		} else {
			assert_int_equal(stitch_sample(s, cookie, &w, &node, &outcome), 0);
			stitch_stack(s, cookie, (u32)cookie, 1, count, &seen);
			assert_int_equal(seen.nr, 1);
			assert_int_equal(seen.last_time, cookie * 10);
		}
	}
	assert_int_equal(stitch_nr_waiting(s), nr);
	stitch_drain(s, count_left, &lost);
	assert_int_equal(lost.nr, nr);
	assert_int_equal(lost.cookies, cookies);
	assert_int_equal(stitch_nr_waiting(s), 0);
	stitch_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stack_serves_all_samples_that_wait_for_it),
		cmocka_unit_test(a_stack_that_came_first_is_remembered),
		cmocka_unit_test(who_waits_is_served_once),
		cmocka_unit_test(who_waits_for_the_same_stack_is_served_with_it),
		cmocka_unit_test(what_is_lost_leaves_samples_that_wait_and_no_wrong_ones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
