/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Does what a recorder can leave out keep to its share of CPU time, and come back when there is some left? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "lib/record/allowance.h"

#define CPUS 2
#define SHARE 0.01
#define POLL_NS 100000000ULL
#define S 1000000000ULL
#define BEGIN_NS (1000 * S)

/* A recorder: what it must do in a poll, and what it would do beside that, which may be less than what it is allowed. */
struct recorder {
	struct allowance allowance;
	uint64_t now_ns, used_ns, done_ns;
};

static void begin(struct recorder *r, double share)
{
	*r = (struct recorder){.now_ns = BEGIN_NS, .used_ns = 7 * S};
	allowance_begin(&r->allowance, share, CPUS, r->used_ns, r->now_ns);
}

/* Returns the share of all CPUs that it took in @seconds. */
static double run(struct recorder *r, unsigned int seconds, uint64_t must_ns, uint64_t would_ns)
{
	uint64_t before_ns = r->used_ns, end_ns = r->now_ns + seconds * S;

	for (; r->now_ns < end_ns; r->now_ns += POLL_NS) {
		uint64_t left_ns = allowance_left(&r->allowance, 0, r->used_ns, r->now_ns),
			 does_ns = left_ns < would_ns ? left_ns : would_ns;

		r->done_ns += does_ns;
		r->used_ns += must_ns + does_ns;
	}
	return (double)(r->used_ns - before_ns) / (seconds * S) / CPUS;
}

static void allowance__a_recorder_that_must_do_less_than_its_share_keeps_to_it(void **state)
{
	struct recorder r;

	begin(&r, SHARE);
	run(&r, 20, POLL_NS / 200, POLL_NS); /* what was saved up is spent */
	assert_true(run(&r, 100, POLL_NS / 200, POLL_NS) <= SHARE * 1.01);
	assert_true(run(&r, 100, POLL_NS / 200, POLL_NS) >= SHARE * 0.95);
}

static void allowance__one_that_must_do_more_does_nothing_else(void **state)
{
	struct recorder r;

	begin(&r, SHARE);
	run(&r, 20, POLL_NS / 20, POLL_NS);
	r.done_ns = 0;
	run(&r, 100, POLL_NS / 20, POLL_NS);
	assert_int_equal(r.done_ns, 0);
}

static void allowance__it_comes_back_within_a_minute(void **state)
{
	struct recorder r;

	begin(&r, SHARE);
	run(&r, 1000, POLL_NS, 0);
	r.done_ns = 0;
	run(&r, 70, 0, POLL_NS / 1000);
	assert_true(r.done_ns > 0);
}

static void allowance__a_burst_is_done_at_once(void **state)
{
	struct recorder r;

	begin(&r, SHARE);
	assert_int_equal(allowance_left(&r.allowance, 0, r.used_ns, r.now_ns), S / 5);
	assert_int_equal(allowance_left(&r.allowance, 0.5, r.used_ns, r.now_ns), S / 10);
	assert_int_equal(allowance_left(&r.allowance, 0.5, r.used_ns + S / 10, r.now_ns), 0);
	assert_int_equal(allowance_left(&r.allowance, 0.25, r.used_ns + S / 10, r.now_ns), S / 20);
}

static void allowance__without_a_share_there_is_no_limit(void **state)
{
	struct recorder r;

	begin(&r, 0);
	assert_true(allowance_left(&r.allowance, 0.5, r.used_ns + 1000 * S, r.now_ns) == UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(allowance__a_recorder_that_must_do_less_than_its_share_keeps_to_it),
		cmocka_unit_test(allowance__one_that_must_do_more_does_nothing_else),
		cmocka_unit_test(allowance__it_comes_back_within_a_minute),
		cmocka_unit_test(allowance__a_burst_is_done_at_once),
		cmocka_unit_test(allowance__without_a_share_there_is_no_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
