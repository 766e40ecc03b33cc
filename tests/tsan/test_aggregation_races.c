/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Deferral word and sums under four real threads: two add amounts, one walks, one sweeps. Is every request served once
 * under its cookie, every amount added once, and under its own cookie?
 */
#include "threads.h"
#include "core/shared/aggregation.h"

#define ADDERS 2
#define TURNS 400000

static struct defer word;
static struct task_sums list;

#define CPU_BITS 12

/* By thread that adds, and turn, which is what a cookie consists of. */
static u32 served[ADDERS][TURNS + 1]; /* consumers, as defer_take() has it */
static bool taken_twice;

static struct {
	u64 cookie;
	u32 verdict;
} added[ADDERS][TURNS];

static u64 entered; /* how many amounts */
static u32 adders_done;

static u64 amount_of(u64 cookie)
{
	return (cookie * 0x9E3779B97F4A7C15ULL >> 40) + 1;
}

static u32 *served_by(u64 cookie)
{
	return &served[cookie & ((1 << CPU_BITS) - 1)][cookie >> CPU_BITS];
}

/* Returns how many sums are not what their cookie says. */
static uintptr_t enter(u64 cookie)
{
	uintptr_t wrong = 0;

	for (u32 i = 0; i < list.nr; i++) {
		wrong += list.sum[i].amount != list.sum[i].count * amount_of(cookie);
		fetch_add(&entered, list.sum[i].count);
	}
	task_sums_release(&list);
	return wrong;
}

static uintptr_t answer(void)
{
	u64 cookie, consumers = defer_take(&word, &cookie);

	if (!cookie)
		return 0;
	if (xchg(served_by(cookie), consumers))
		taken_twice = true;
	return task_sums_take(&list, cookie) ? enter(cookie) : 0;
}

static uintptr_t add_amounts(u32 me)
{
	uintptr_t wrong = 0;

	for (u32 i = 0; i < TURNS; i++) {
		struct task_sum what = {.key = i % 11, .count = 1, .consumer = me};
		u64 cookie = 0;

		added[me][i].verdict = SUM_LATE;
		if (defer_request(&word, me, defer_cookie(me, CPU_BITS, i + 1), &cookie) == DEFER_CONTENDED)
			continue;
		what.amount = amount_of(cookie);
		added[me][i].cookie = cookie;
		added[me][i].verdict = task_sums_add(&list, &word, cookie, &what);
		if (added[me][i].verdict & SUM_ORPHANED)
			wrong += enter(cookie);
	}
	return wrong;
}

static void *act(void *arg)
{
	uintptr_t me = (uintptr_t)arg, wrong = 0;

	if (me < ADDERS) {
		wrong = add_amounts(me);
		fetch_add(&adders_done, 1);
	} else {
		while (load_acquire(&adders_done) < ADDERS) {
			wrong += answer();
			sched_yield();
		}
		wrong += answer();
	}
	return (void *)wrong;
}

static void every_request_is_answered_and_every_amount_added_once(void **state)
{
	u64 kept = 0;

	run_threads(act);
	assert_false(taken_twice);
	assert_int_equal(word.word, 0);
	assert_int_equal(list.owner, 0);
	for (u32 me = 0; me < ADDERS; me++)
		for (u32 i = 0; i < TURNS; i++) {
			u64 cookie = added[me][i].cookie;

			if (!cookie)
				continue;
			assert_true(*served_by(cookie) >> me & 1);
			if (added[me][i].verdict & SUM_ELSEWHERE)
				assert_true(*served_by(cookie) & DEFER_ELSEWHERE);
			kept += !(added[me][i].verdict & (SUM_ELSEWHERE | SUM_LATE));
		}
	assert_int_equal(entered, kept);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_request_is_answered_and_every_amount_added_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
