/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Are immediate stacks, and sums of sampled intervals, what walks and all intervals would have given? */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "intervals.h"

#define MANY 5000 /* off-CPU intervals of a thread: so many are estimated well */

static void print(const struct dusk_profile *p, const char *counter)
{
	print_message("%-20s %" PRIu64 "\n", counter, live_counter(p, counter));
}

/* Ticks, and switches of all kinds: short and long, in storms of processes, in signal handlers, and in JIT code. */
static void immediate_stacks_are_those_that_a_walk_finds(void **state)
{
	static const char *const said[] = {"cached",	     "walked-nofault", "verified-same", "verified-different",
					   "kernel-checked", "kernel-walks",   "kernel-wrong"};
	static const char *const names[] = {"turns", "clock", "waits", "threads", "signals", "execs", "dlopen"};
	const char *counts = live_file("verify.counts"), *file;
	pid_t pid[sizeof(names) / sizeof(names[0])];
	size_t nr = sizeof(names) / sizeof(names[0]);

	for (size_t i = 0; i < nr; i++)
		pid[i] = live_start(false, (const char *const[]){live_victim(names[i]), counts, NULL});
	file = live_file("verify.dusk");
	assert_int_equal(RECORD(file, "-a", "-e", "cpu,offcpu", "-F", "997", "--verify", "-d", "3s"), 0);
	for (size_t i = 0; i < nr; i++)
		live_end(pid[i]);
	_cleanup_profile_ p = live_read(file);
	for (size_t i = 0; i < sizeof(said) / sizeof(said[0]); i++)
		print(p, said[i]);
	assert_int_equal(live_counter(p, "verified-different"), 0);
	assert_int_equal(live_counter(p, "kernel-wrong"), 0);
	assert_true(live_counter(p, "verified-same") > 1000);
	assert_true(live_counter(p, "kernel-checked") > 1000);
	assert_true(live_counter(p, "walked-nofault") > 0);
}

/* Of the threads that took turns: what the sample says, beside what is kept of each life. */
static void sums_of_sampled_intervals_are_right(void **state)
{
	const char *file = live_file("budget.dusk");
	uint64_t threads = 0;
	pid_t pid;

	pid = START(live_victim("turns"));
	assert_int_equal(RECORD_PROCESS(file, pid, 3000, "-e", "offcpu", "--budget", "3%"), 0);
	live_end(pid);
	_cleanup_profile_ p = live_read(file);
	print(p, "offcpu-intervals");
	print(p, "offcpu-sampled-out");
	assert_true(live_counter(p, "offcpu-sampled-out") > live_counter(p, "offcpu-intervals") / 10);
	for (uint32_t i = 0; i < p->nr_thread_times; i++) {
		const struct dusk_thread_times *l = &p->thread_times[i];
		struct away a = away_in(p, p->threads[l->thread].tid, NULL);
		uint64_t ns = l->runnable_ns + l->blocked_ns;

		assert_int_equal(l->end_ns - l->start_ns, l->on_cpu_ns + ns);
		if (l->intervals < MANY)
			continue;
		print_message("%d: %.3f ms off CPU, sampled %.3f; %" PRIu64 " off-CPU intervals, sampled %" PRIu64 "\n",
			      p->threads[l->thread].tid, ns / 1e6, a.ns / 1e6, l->intervals, a.sleeps + a.preemptions);
		assert_true(within(a.ns, ns, 50000, 0));
		assert_true(within(a.sleeps + a.preemptions, l->intervals, 100000, 0));
		threads++;
	}
	assert_int_equal(threads, 2);
}

/* What counter @name has counted in all windows. */
static uint64_t in_windows(const struct dusk_profile *p, const char *name)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < p->nr_window_counts; i++)
		if (!strcmp(p->counters[p->window_counts[i].counter].name, name))
			sum += p->window_counts[i].value;
	return sum;
}

/* As the agent records, with a limit that two threads that take turns exceed by far. */
static void a_limit_bites_in_a_storm_of_switches_is_counted_and_costs_no_sample(void **state)
{
	const char *file = live_file("limit.dusk"), *certain_ns;
	uint64_t ticks = 0, intervals = 0;
	struct live_tally of_storm;
	pid_t pid;

	pid = START(live_victim("turns"));
	assert_int_equal(
		RECORD_PROCESS(file, pid, 6000, "-e", "cpu,offcpu", "-F", "199", "--window", "1s", "--max-cpu", "0.2%"),
		0);
	live_end(pid);
	_cleanup_profile_ p = live_read(file);
	print(p, "samples");
	print(p, "offcpu-intervals");
	print(p, "offcpu-sampled-out");
	certain_ns = dusk_profile_setting(p, "certain_ns");
	assert_non_null(certain_ns);
	assert_true(strtoull(certain_ns, NULL, 10) > 0);
	assert_true(live_counter(p, "offcpu-sampled-out") > live_counter(p, "offcpu-intervals") / 10);
	assert_int_equal(in_windows(p, "offcpu-sampled-out"), live_counter(p, "offcpu-sampled-out"));
	for (uint64_t i = 0; i < p->nr_samples; i++)
		*(p->samples[i].source == DUSK_CPU ? &ticks : &intervals) += p->samples[i].count;
	for (uint32_t i = 0; i < p->nr_counters; i++)
		if (!strncmp(p->counters[i].name, "lost-", 5))
			assert_int_equal(p->counters[i].value, 0);
	assert_int_equal(ticks, live_counter(p, "samples"));
	assert_int_equal(in_windows(p, "offcpu-stood-for"), live_counter(p, "offcpu-stood-for"));
	assert_true(live_counter(p, "offcpu-stood-for") > 0);
	assert_int_equal(intervals + live_counter(p, "offcpu-sampled-out"),
			 live_counter(p, "offcpu-intervals") + live_counter(p, "offcpu-unended") +
				 live_counter(p, "offcpu-stood-for"));
	of_storm = live_count(p, pid);
	print_message("%zu sums of the storm, %zu complete\n", (size_t)of_storm.samples, (size_t)of_storm.complete);
	assert_true(of_storm.samples > 0);
	assert_true(of_storm.complete * 100 >=
		    of_storm.samples * 99); /* a stack may be pending when the recording ends */
}

/* They switch all the while, also when the recording ends, and when not every program knows of it yet. */
static void every_thread_has_its_times_however_fast_it_switches(void **state)
{
	const char *file = live_file("lives.dusk");
	pid_t pid = START(live_victim("turns"));

	for (int i = 0; i < 6; i++) {
		assert_int_equal(RECORD_PROCESS(file, pid, 100, "-e", "offcpu"), 0);
		_cleanup_profile_ p = live_read(file);

		assert_int_equal(p->nr_thread_times, 2);
		for (uint32_t n = 0; n < p->nr_thread_times; n++) {
			const struct dusk_thread_times *l = &p->thread_times[n];

			assert_int_equal(l->end_ns - l->start_ns, l->on_cpu_ns + l->runnable_ns + l->blocked_ns);
		}
	}
	live_end(pid);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(immediate_stacks_are_those_that_a_walk_finds),
		cmocka_unit_test(sums_of_sampled_intervals_are_right),
		cmocka_unit_test(a_limit_bites_in_a_storm_of_switches_is_counted_and_costs_no_sample),
		cmocka_unit_test(every_thread_has_its_times_however_fast_it_switches),
	};

	return LIVE_MAIN(argc, argv, tests);
}
