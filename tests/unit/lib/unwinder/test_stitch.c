/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Items and stacks, joined by cookie: in either order, none twice, and none wrongly. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "lib/unwinder/stitch.h"

#define MANY 20000
#define RECENT 1000

/* An item, of a size that is no multiple of 8. */
struct item {
	u32 time, pad, more;
};

struct seen {
	u64 nr, last_time, cookies;
	struct resolved last;
	int refuse; /* what using an item returns */
};

static int use(void *ctx, const void *item, const struct resolved *r)
{
	struct seen *seen = ctx;

	seen->nr++;
	seen->last_time = ((const struct item *)item)->time;
	seen->last = *r;
	return seen->refuse;
}

static int list(void *ctx, u64 cookie, const void *item)
{
	struct seen *seen = ctx;

	assert_int_equal(((const struct item *)item)->time, cookie * 10);
	seen->nr++;
	seen->cookies += cookie;
	return 0;
}

static bool is_odd(void *ctx, u64 cookie, const void *item)
{
	return cookie & 1;
}

static struct stitch *of_items(size_t recent)
{
	struct stitch *s = stitch_new(sizeof(struct item), recent);

	assert_non_null(s);
	return s;
}

/* An item of time @time: 0: it waits, 1: its stack has come, as *@r. */
static int item_comes(struct stitch *s, u64 cookie, u32 time, struct resolved *r)
{
	return stitch_item(s, cookie, &(struct item){.time = time}, r);
}

static void stack_comes(struct stitch *s, u64 cookie, u32 stack, u32 outcome, struct seen *seen)
{
	assert_int_equal(stitch_stack(s, cookie, (struct resolved){stack, outcome}, use, seen), 0);
}

static void a_stack_is_joined_with_all_items_that_wait_for_it(void **state)
{
	struct stitch *s = of_items(0);
	struct resolved r = {77, 78};
	struct seen seen = {0};

	assert_int_equal(item_comes(s, 10, 1, &r), 0);
	assert_int_equal(item_comes(s, 11, 3, &r), 0);
	assert_int_equal(item_comes(s, 10, 2, &r), 0);
	assert_int_equal(r.stack, 77);
	assert_int_equal(r.outcome, 78);
	assert_int_equal(stitch_nr_waiting(s), 3);
	stack_comes(s, 10, 5, 6, &seen);
	assert_int_equal(seen.nr, 2);
	assert_int_equal(stitch_nr_waiting(s), 1);
	stack_comes(s, 11, 7, 8, &seen);
	assert_int_equal(seen.nr, 3);
	assert_int_equal(seen.last_time, 3);
	assert_int_equal(seen.last.stack, 7);
	assert_int_equal(seen.last.outcome, 8);
	stitch_free(s);
}

static void a_stack_that_came_before_its_items_is_kept(void **state)
{
	struct stitch *s = of_items(0);
	struct seen seen = {0};
	struct resolved r;

	stack_comes(s, 10, 5, 6, &seen);
	assert_int_equal(seen.nr, 0);
	for (int i = 0; i < 2; i++) {
		r = (struct resolved){0};
		assert_int_equal(item_comes(s, 10, 1, &r), 1);
		assert_int_equal(r.stack, 5);
		assert_int_equal(r.outcome, 6);
	}
	assert_int_equal(stitch_nr_waiting(s), 0);
	assert_int_equal(item_comes(s, 11, 1, &r), 0);
	stitch_forget(s);
	assert_int_equal(stitch_nr_waiting(s), 1);
	assert_int_equal(item_comes(s, 10, 1, &r), 0);
	stitch_free(s);
}

static void the_most_recent_stacks_are_kept_and_no_more_than_twice_as_many(void **state)
{
	struct stitch *s = of_items(RECENT);
	struct seen seen = {0};
	struct resolved r;

	for (u32 i = 1; i <= MANY; i++) {
		stack_comes(s, i, i, 0, &seen);
		assert_true(stitch_nr_cookies(s) <= 2 * RECENT);
		if (i < RECENT)
			continue;
		assert_true(stitch_find(s, i - RECENT + 1, &r));
		assert_int_equal(r.stack, i - RECENT + 1);
	}
	assert_false(stitch_find(s, MANY - 2 * RECENT, &r));
	stitch_free(s);
}

static void an_item_that_waits_is_served_once(void **state)
{
	struct stitch *s = of_items(0);
	struct seen seen = {0};
	struct resolved r;

	item_comes(s, 10, 1, &r);
	stack_comes(s, 10, 5, 6, &seen);
	stack_comes(s, 10, 5, 6, &seen);
	assert_int_equal(seen.nr, 1);
	stitch_free(s);
}

static void an_item_that_cannot_be_used_goes_on_waiting(void **state)
{
	struct stitch *s = of_items(0);
	struct seen seen = {.refuse = -ENOMEM}, listed = {0};
	struct resolved r;

	item_comes(s, 10, 100, &r);
	item_comes(s, 10, 100, &r);
	assert_int_equal(stitch_stack(s, 10, (struct resolved){5, 6}, use, &seen), -ENOMEM);
	assert_int_equal(seen.nr, 2);
	assert_int_equal(stitch_nr_waiting(s), 2);
	assert_int_equal(stitch_each(s, list, &listed), 0);
	assert_int_equal(listed.nr, 2);
	seen = (struct seen){0};
	stack_comes(s, 10, 5, 6, &seen);
	assert_int_equal(seen.nr, 2);
	assert_int_equal(stitch_nr_waiting(s), 0);
	stitch_free(s);
}

static void an_item_that_waits_for_the_same_stack_is_served_with_it(void **state)
{
	struct stitch *s = of_items(0);
	struct seen seen = {0};
	struct resolved r = {0};

	assert_int_equal(item_comes(s, 11, 1, &r), 0);
	assert_int_equal(item_comes(s, 13, 3, &r), 0);
	assert_int_equal(item_comes(s, 14, 4, &r), 0);
	assert_int_equal(stitch_same(s, 11, 10, use, &seen), 0);
	assert_int_equal(stitch_same(s, 13, 12, use, &seen), 0);
	assert_int_equal(seen.nr, 0);
	stack_comes(s, 10, 5, 6, &seen);
	assert_int_equal(seen.nr, 1);
	assert_int_equal(seen.last_time, 1);
	assert_int_equal(item_comes(s, 11, 2, &r), 1);
	assert_int_equal(r.stack, 5);
	assert_int_equal(stitch_same(s, 14, 10, use, &seen), 0);
	assert_int_equal(seen.nr, 2);
	assert_int_equal(seen.last_time, 4);
	assert_int_equal(seen.last.stack, 5);
	assert_int_equal(seen.last.outcome, 6);
	assert_int_equal(stitch_nr_waiting(s), 1);
	stitch_free(s);
}

static void items_that_are_removed_leave_the_others_waiting(void **state)
{
	struct stitch *s = of_items(0);
	struct seen seen = {0}, left = {0};
	struct resolved r;

	for (u32 cookie = 1; cookie <= 4; cookie++)
		for (int i = 0; i < 3; i++)
			item_comes(s, cookie, cookie * 10, &r);
	stitch_remove(s, is_odd, NULL);
	assert_int_equal(stitch_nr_waiting(s), 6);
	assert_int_equal(stitch_each(s, list, &left), 0);
	assert_int_equal(left.cookies, 3 * (2 + 4));
	item_comes(s, 5, 50, &r); /* in the place of one that was removed */
	stack_comes(s, 3, 1, 1, &seen);
	assert_int_equal(seen.nr, 0);
	for (u32 cookie = 1; cookie <= 5; cookie++)
		stack_comes(s, cookie, 1, 1, &seen);
	assert_int_equal(seen.nr, 7);
	assert_int_equal(stitch_nr_waiting(s), 0);
	stitch_free(s);
}

/* Each third stack is lost: its items wait to the end, and get none of the others. */
static void what_is_lost_leaves_items_that_wait_and_no_wrong_ones(void **state)
{
	struct stitch *s = of_items(RECENT);
	struct seen lost = {0};
	u64 cookies = 0, nr = 0;

	for (u32 cookie = 1; cookie <= MANY; cookie++) {
		struct resolved r = {0};
		struct seen seen = {0};

		if (cookie % 3 == 0) {
			assert_int_equal(item_comes(s, cookie, cookie * 10, &r), 0);
			cookies += cookie;
			nr++;
		} else if (cookie % 2) {
			stack_comes(s, cookie, cookie, 1, &seen);
			assert_int_equal(item_comes(s, cookie, cookie * 10, &r), 1);
			assert_int_equal(r.stack, cookie);
		} else {
			assert_int_equal(item_comes(s, cookie, cookie * 10, &r), 0);
			stack_comes(s, cookie, cookie, 1, &seen);
			assert_int_equal(seen.nr, 1);
			assert_int_equal(seen.last_time, cookie * 10);
			assert_int_equal(seen.last.stack, cookie);
		}
	}
	assert_int_equal(stitch_nr_waiting(s), nr);
	assert_int_equal(stitch_each(s, list, &lost), 0);
	assert_int_equal(lost.nr, nr);
	assert_int_equal(lost.cookies, cookies);
	stitch_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stack_is_joined_with_all_items_that_wait_for_it),
		cmocka_unit_test(a_stack_that_came_before_its_items_is_kept),
		cmocka_unit_test(the_most_recent_stacks_are_kept_and_no_more_than_twice_as_many),
		cmocka_unit_test(an_item_that_waits_is_served_once),
		cmocka_unit_test(an_item_that_cannot_be_used_goes_on_waiting),
		cmocka_unit_test(an_item_that_waits_for_the_same_stack_is_served_with_it),
		cmocka_unit_test(items_that_are_removed_leave_the_others_waiting),
		cmocka_unit_test(what_is_lost_leaves_items_that_wait_and_no_wrong_ones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
