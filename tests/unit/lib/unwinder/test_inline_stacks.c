/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Stacks without id and the sums on them: each stack once, each sum under its own, whatever comes first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "abi/outcome.h"
#include "lib/unwinder/inline_stacks.h"

#define LEN 3

struct seen {
	uint32_t rows, unresolved;
	uint64_t amount, count;
	uint32_t stack, outcome; /* of the last row */
};

static int see(void *ctx, const struct dusk_sum *c)
{
	struct seen *s = ctx;

	s->rows++;
	s->unresolved += c->unresolved;
	s->amount += c->amount;
	s->count += c->count;
	s->stack = c->stack;
	s->outcome = c->outcome;
	return 0;
}

static struct seen look(const struct inline_stacks *w, u32 consumer)
{
	struct seen s = {0};

	assert_int_equal(inline_sums(w, consumer, see, &s), 0);
	return s;
}

/* A stack of LEN frames, the innermost of which is @frame. */
static void stack_comes(struct inline_stacks *w, u64 cookie, u64 frame)
{
	struct event_stack *e = calloc(1, sizeof(*e) + LEN * sizeof(u64));

	assert_non_null(e);
	*e = (struct event_stack){.kind = EVENT_STACK, .cookie = cookie, .nr = LEN, .outcome = UNDEFINED_RA};
	for (int i = 0; i < LEN; i++)
		e->frame[i] = frame + i;
	assert_int_equal(inline_take_stack(w, e), 0);
	free(e);
}

static void same_comes(struct inline_stacks *w, u64 cookie, u64 same_as)
{
	struct event_stack e = {.kind = EVENT_STACK, .cookie = cookie, .outcome = STACKMAP_FULL, .same_as = same_as};

	assert_int_equal(inline_take_stack(w, &e), 0);
}

static void sum_comes(struct inline_stacks *w, u32 consumer, u64 key, u64 cookie, u64 amount)
{
	struct event_sum e = {
		.kind = EVENT_SUM,
		.sum = {.amount = amount, .count = 1},
		.key = {.key = key, .cookie = cookie, .outcome = STACKMAP_FULL, .kind = SUM_DUE},
	};

	assert_int_equal(inline_take_sum(w, consumer, &e), 0);
}

static void expect_frames(const struct inline_stacks *w, u32 number, u64 frame)
{
	const u64 *v;
	u32 nr = 0;

	assert_true(number & INLINE_STACK);
	v = inline_frames(w, number, &nr);
	assert_non_null(v);
	assert_int_equal(nr, LEN);
	for (int i = 0; i < LEN; i++)
		assert_int_equal(v[i], frame + i);
}

static void sums_of_one_stack_are_one_whatever_comes_first(void **state)
{
	struct inline_stacks *w = inline_new();
	struct seen s;

	sum_comes(w, 3, 7, 100, 10);
	assert_int_equal(look(w, 3).unresolved, 1);
	stack_comes(w, 100, 1000);
	stack_comes(w, 101, 1000);
	sum_comes(w, 3, 7, 101, 5);
	s = look(w, 3);
	assert_int_equal(s.rows, 1);
	assert_int_equal(s.unresolved, 0);
	assert_int_equal(s.amount, 15);
	assert_int_equal(s.count, 2);
	assert_int_equal(s.outcome, UNDEFINED_RA);
	expect_frames(w, s.stack, 1000);
	inline_free(w);
}

static void keys_stacks_and_consumers_are_kept_apart(void **state)
{
	struct inline_stacks *w = inline_new();

	for (u64 cookie = 1; cookie <= 4; cookie++) {
		stack_comes(w, cookie, 1000 + cookie % 2 * 500);
		for (u64 key = 0; key < 3; key++)
			sum_comes(w, 1, key, cookie, 1);
	}
	sum_comes(w, 2, 0, 1, 1);
	assert_int_equal(look(w, 1).rows, 6);
	assert_int_equal(look(w, 1).count, 12);
	assert_int_equal(look(w, 2).rows, 1);
	inline_drop(w, 1);
	assert_int_equal(look(w, 1).rows, 0);
	assert_int_equal(look(w, 2).rows, 1);
	sum_comes(w, 1, 0, 1, 4);
	assert_int_equal(look(w, 1).amount, 4);
	inline_free(w);
}

static void a_cookie_may_refer_to_a_stack_before_or_after_it_arrives(void **state)
{
	struct inline_stacks *w = inline_new();
	struct resolved r;

	same_comes(w, 11, 10);
	sum_comes(w, 0, 1, 11, 1);
	assert_false(inline_find(w, 11, &r));
	stack_comes(w, 10, 2000);
	same_comes(w, 12, 10);
	sum_comes(w, 0, 1, 12, 1);
	for (u64 cookie = 10; cookie <= 12; cookie++) {
		assert_true(inline_find(w, cookie, &r));
		expect_frames(w, r.stack, 2000);
		assert_int_equal(r.outcome, UNDEFINED_RA);
	}
	assert_int_equal(look(w, 0).rows, 1);
	assert_int_equal(look(w, 0).count, 2);
	inline_free(w);
}

static void a_sum_whose_stack_is_lost_stays_without(void **state)
{
	struct inline_stacks *w = inline_new();
	struct seen s;

	sum_comes(w, 0, 1, 50, 9);
	stack_comes(w, 51, 1);
	inline_drop(w, 1);
	s = look(w, 0);
	assert_int_equal(s.unresolved, 1);
	assert_int_equal(s.amount, 9);
	assert_int_equal(s.outcome, STACKMAP_FULL);
	inline_drop(w, 0);
	assert_int_equal(look(w, 0).rows, 0);
	inline_free(w);
}

static void numbers_that_were_forgotten_are_not_used_again(void **state)
{
	struct inline_stacks *w = inline_new();
	struct resolved old, fresh;
	u32 nr;

	stack_comes(w, 1, 1000);
	assert_true(inline_find(w, 1, &old));
	inline_forget(w);
	assert_null(inline_frames(w, old.stack, &nr));
	assert_false(inline_find(w, 1, &fresh));
	stack_comes(w, 2, 3000);
	assert_true(inline_find(w, 2, &fresh));
	assert_int_not_equal(fresh.stack, old.stack);
	expect_frames(w, fresh.stack, 3000);
	assert_null(inline_frames(w, old.stack, &nr));
	inline_free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_of_one_stack_are_one_whatever_comes_first),
		cmocka_unit_test(keys_stacks_and_consumers_are_kept_apart),
		cmocka_unit_test(a_cookie_may_refer_to_a_stack_before_or_after_it_arrives),
		cmocka_unit_test(a_sum_whose_stack_is_lost_stays_without),
		cmocka_unit_test(numbers_that_were_forgotten_are_not_used_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
