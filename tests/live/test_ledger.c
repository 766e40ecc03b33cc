/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Do the counters add up (src/abi/counter.h), and does the file hold a sample for each that was counted? */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "live.h"

#define VICTIMS 3

static uint64_t outcome_samples(const struct dusk_profile *p, const char *name)
{
	uint64_t nr = 0;

	for (uint64_t i = 0; i < p->nr_samples; i++)
		nr += !strcmp(live_outcome(p, &p->samples[i]), name);
	return nr;
}

static void check(const struct dusk_profile *p)
{
#define N(name) live_counter(p, name)
	uint64_t walked = N("walks") + N("closed-exec") + N("closed-exiting") + N("closed-no-walker") +
			  N("closed-lost") + N("closed-idle");
	uint64_t pending = outcome_samples(p, "pending");
	uint64_t refused = N("refused-exiting") + N("refused-compat") + N("refused-no-state") + N("refused-contended") +
			   N("refused-excluded") + N("refused-schedule");

	print_message("%llu samples: %llu of the kernel, %llu refused, %llu joined, %llu afterwards, %llu scheduled "
		      "(%llu pending); "
		      "lost %llu samples, %llu stacks\n",
		      (unsigned long long)N("samples"), (unsigned long long)N("no-user"), (unsigned long long)refused,
		      (unsigned long long)N("joined"), (unsigned long long)N("afterwards"),
		      (unsigned long long)N("scheduled"), (unsigned long long)pending,
		      (unsigned long long)N("lost-samples"), (unsigned long long)N("lost-stacks"));
	assert_true(p->finished);
	assert_int_equal(N("samples"), N("no-user") + N("requests"));
	assert_int_equal(N("requests"), refused + N("joined") + N("afterwards") + N("scheduled"));
	assert_true(N("scheduled") >= walked);
	assert_true(N("scheduled") - walked <= pending + N("lost-samples")); /* or nobody knows who waits */
	assert_true(pending == 0 || N("scheduled") > walked || N("lost-stacks"));
	assert_int_equal(p->nr_samples, N("samples") - N("lost-samples"));
#undef N
}

/* A bit of everything at once, at @frequency. */
static struct dusk_profile *record_mixed(const char *frequency)
{
	const char *file = live_file("ledger.dusk");
	pid_t pid[VICTIMS];

	pid[0] = START(live_victim("threads"));
	pid[1] = START(live_victim("signals"), "own");
	pid[2] = live_start(false, (const char *const[]){live_victim("storm"), live_victim("short"), "100000", NULL});
	assert_int_equal(RECORD(file, "-a", "-F", frequency, "-d", "2s"), 0);
	for (int i = 0; i < VICTIMS; i++)
		live_end(pid[i]);
	return live_read(file);
}

static void the_sums_are_true(void **state)
{
	_cleanup_profile_ p = record_mixed("997");

	check(p);
	assert_true(live_counter(p, "walks") > 500);
}

static void the_sums_are_true_when_there_is_too_much_to_do(void **state)
{
	_cleanup_profile_ p = record_mixed("20000");

	check(p);
	assert_true(live_counter(p, "walks") > 500);
}

static void the_sums_are_true_when_events_are_lost(void **state)
{
	const char *file = live_file("lost.dusk");
	pid_t victim = START(live_victim("threads")), recorder;

	recorder = START_RECORD(file, "-a", "-F", "20000");
	kill(recorder, SIGSTOP); /* nobody reads, and the ring buffer fills up */
	live_sleep_ms(3000);
	kill(recorder, SIGCONT);
	assert_int_equal(live_stop_record(recorder), 0);
	live_end(victim);

	_cleanup_profile_ p = live_read(file);
	check(p);
	assert_true(live_counter(p, "lost-samples") > 0);
	assert_true(live_counter(p, "lost-stacks") == 0 || outcome_samples(p, "ring-lost") > 0);
}

static void deep_sleepers_are_pending_and_nothing_more(void **state)
{
	const char *file = live_file("sleepers.dusk");

	assert_int_equal(RECORD(file, "-F", "4999", "--", "sleep", "0.3"), 0);
	_cleanup_profile_ p = live_read(file);
	check(p);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_sums_are_true),
		cmocka_unit_test(the_sums_are_true_when_there_is_too_much_to_do),
		cmocka_unit_test(the_sums_are_true_when_events_are_lost),
		cmocka_unit_test(deep_sleepers_are_pending_and_nothing_more),
	};

	return LIVE_MAIN(argc, argv, tests);
}
