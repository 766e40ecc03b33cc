/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Is a walk late when it was begun too long ago, and at no other time? (All orders: tests/model.) */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <assert.h>
#include <pthread.h>

#include "core/shared/watchdog.h"

static void a_walker_is_one_walks_at_a_time(void **state)
{
	struct walker_head w = {0};

	assert_true(watchdog_claim(&w, 7));
	assert_false(watchdog_claim(&w, 8));
	watchdog_release(&w);
	assert_true(watchdog_claim(&w, 8));
}

static void a_walk_is_late_when_it_was_begun_before(void **state)
{
	struct walker_head w = {0};
	u64 since;

	watchdog_claim(&w, 7);
	watchdog_begin(&w, 100);
	assert_int_equal(watchdog_late(&w, 100, &since), 0);
	assert_int_equal(watchdog_late(&w, 101, &since), 7);
	assert_int_equal(since, 100);
	assert_true(watchdog_is_still(&w, since));
}

static void a_free_walker_is_never_late(void **state)
{
	struct walker_head w = {0};
	u64 since;

	assert_int_equal(watchdog_late(&w, ~0ULL, &since), 0);
	watchdog_claim(&w, 7);
	watchdog_begin(&w, 100);
	watchdog_release(&w);
	assert_int_equal(watchdog_late(&w, ~0ULL, &since), 0);
}

static void a_walk_that_has_no_time_yet_is_not_late(void **state)
{
	struct walker_head w = {0};
	u64 since;

	watchdog_claim(&w, 7);
	assert_int_equal(watchdog_late(&w, ~0ULL, &since), 0);
}

#define WALKERS 16
#define SHARE (WALKERS / 4 + 1)
#define THREADS 4
#define ROUNDS 20000

static struct walker_head pool[WALKERS];
static u32 most_seen;

static u32 owned(void *tgid)
{
	u32 own = 0;

	for (u32 i = 0; i < WALKERS; i++)
		own += load_relaxed(&pool[i].tgid) == (uintptr_t)tgid;
	return own;
}

static struct walker_head *claim(u32 tid, uintptr_t tgid)
{
	for (u32 i = 0; i < WALKERS; i++)
		if (watchdog_claim(&pool[i], tid))
			return watchdog_share(&pool[i], tgid, false, WALKERS, owned, (void *)tgid) ? &pool[i] : NULL;
	return NULL;
}

static void *claim_and_hold(void *tid)
{
	struct walker_head *held[WALKERS];
	u32 nr;

	for (u32 round = 0; round < ROUNDS; round++) {
		for (nr = 0; nr < SHARE + 1 && (held[nr] = claim((uintptr_t)tid, 7)); nr++)
			fetch_add(&most_seen, 1);
		assert(load_relaxed(&most_seen) <= SHARE);
		while (nr) {
			fetch_add(&most_seen, -1);
			watchdog_release(held[--nr]);
		}
	}
	return NULL;
}

static void no_process_has_more_than_its_share(void **state)
{
	pthread_t thread[THREADS];

	for (uintptr_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, claim_and_hold, (void *)(i + 1)), 0);
	for (u32 i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	assert_int_equal(owned((void *)7), 0);
	for (u32 i = 0; i < SHARE; i++)
		assert_non_null(claim(1, 7));
	assert_null(claim(1, 7));
	assert_non_null(claim(2, 8)); /* another process has its own */
}

static void the_next_walk_is_another_one(void **state)
{
	struct walker_head w = {0};
	u64 since;

	watchdog_claim(&w, 7);
	watchdog_begin(&w, 100);
	watchdog_late(&w, 200, &since);
	watchdog_release(&w);
	assert_false(watchdog_is_still(&w, since));
	watchdog_claim(&w, 7);
	watchdog_begin(&w, 300);
	assert_false(watchdog_is_still(&w, since));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_walker_is_one_walks_at_a_time),
		cmocka_unit_test(a_walk_is_late_when_it_was_begun_before),
		cmocka_unit_test(a_free_walker_is_never_late),
		cmocka_unit_test(a_walk_that_has_no_time_yet_is_not_late),
		cmocka_unit_test(no_process_has_more_than_its_share),
		cmocka_unit_test(the_next_walk_is_another_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
