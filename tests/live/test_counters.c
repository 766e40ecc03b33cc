/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Do the counters add up (src/abi/counter.h), and does the file hold a sample for each that was counted? */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "live.h"

#define VICTIMS 3

/* A bit of everything at once, at @frequency. */
static struct dusk_profile *record_mixed(const char *frequency)
{
	const char *file = live_file("counters.dusk");
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

	live_check_counters(p);
	assert_true(live_counter(p, "walks") > 500);
}

static void the_sums_are_true_when_there_is_too_much_to_do(void **state)
{
	_cleanup_profile_ p = record_mixed("20000");

	live_check_counters(p);
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
	live_check_counters(p);
	assert_true(live_counter(p, "lost-samples") > 0);
	assert_true(live_counter(p, "lost-stacks") == 0 || live_outcome_samples(p, "ring-lost") > 0);
}

/* On a CPU's clock: a tick stands for a period, and what was counted is the time for which the timers ran. */
static void ticks_that_the_kernel_drops_are_counted(void **state)
{
	_cleanup_profile_ p = record_mixed("499");
	uint64_t ticks = live_counter(p, "timer-periods"), skipped = live_counter(p, "timer-skipped");
	uint64_t cpus = sysconf(_SC_NPROCESSORS_ONLN);

	if (strcmp(dusk_profile_setting(p, "event"), "cpu-clock"))
		skip();
	print_message("%llu ms in ticks, %llu us skipped\n", (unsigned long long)ticks / 1000000,
		      (unsigned long long)skipped / 1000);
	assert_true(ticks > 0);
	assert_true(ticks + skipped >= cpus * 2000000000ULL); /* it recorded for two seconds, on each CPU */
	assert_true(skipped < (ticks + skipped) / 2);
}

/* There is room for 16,384 processes, the first of which is the command itself. */
static void children_for_which_there_is_no_room_are_counted(void **state)
{
	const char *file = live_file("litter.dusk");

	assert_int_equal(RECORD(file, "-e", "cpu", "--", live_victim("litter"), "16400"), 0);

	_cleanup_profile_ p = live_read(file);
	assert_int_equal(live_counter(p, "lost-children"), 16400 - 16383);
}

static void deep_sleepers_are_pending_and_nothing_more(void **state)
{
	const char *file = live_file("sleepers.dusk");

	assert_int_equal(RECORD(file, "-F", "4999", "--", "sleep", "0.3"), 0);
	_cleanup_profile_ p = live_read(file);
	live_check_counters(p);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_sums_are_true),
		cmocka_unit_test(the_sums_are_true_when_there_is_too_much_to_do),
		cmocka_unit_test(the_sums_are_true_when_events_are_lost),
		cmocka_unit_test(ticks_that_the_kernel_drops_are_counted),
		cmocka_unit_test(children_for_which_there_is_no_room_are_counted),
		cmocka_unit_test(deep_sleepers_are_pending_and_nothing_more),
	};

	return LIVE_MAIN(argc, argv, tests);
}
