/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Is the time that threads were off the CPU the time that they say they were, in each place, and is nobody's time lost
 * or counted twice?
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "intervals.h"

#define ROUNDS "500"	  /* 1.5 s and more in each place */
#define PLACES 14	  /* at least, of its 18: what needs a disk may not block, or not be there */
#define LEAST_NS 50000000 /* a place where less time is spent does not block on this machine */
#define SWITCH_NS 5000	  /* what may lie between two programs that take the time of a switch */
#define EARLY_NS 250000	  /* see is_true_runnable() */

static uint64_t stolen_before_ns; /* when the test began */

/* The time that a hypervisor took from all CPUs since the machine began. */
static uint64_t stolen_in_all_ns(void)
{
	FILE *f = fopen("/proc/stat", "re");
	unsigned long long ticks = 0;

	if (f && fscanf(f, "cpu %*u %*u %*u %*u %*u %*u %*u %llu", &ticks) != 1)
		ticks = 0;
	if (f)
		fclose(f);
	return ticks * (1000000000 / sysconf(_SC_CLK_TCK));
}

/* The same, since the test began: a thread's CPU clock leaves it out, the times of switches do not. */
static uint64_t stolen_ns(void)
{
	return stolen_in_all_ns() - stolen_before_ns;
}

/* A file in the test's folder that does not exist yet: the test begins. */
static const char *new_file(const char *name)
{
	const char *path = live_file(name);

	stolen_before_ns = stolen_in_all_ns();
	unlink(path);
	return path;
}

/*
 * Is @runnable_ns what @t waited for a CPU? The kernel counts from when another thread is meant to have the CPU, at the
 * next chance: a preempted one runs on for a while, and longer in the kernel. If it goes to sleep by itself in that time, it
 * was not preempted, and the wait is in the truth all the same: allow for a few.
 */
static bool is_true_runnable(uint64_t runnable_ns, const struct truth *t, uint64_t more_ns)
{
	uint64_t margin = t->ns / 100, least = 0, early = (t->preemptions + 4) * EARLY_NS;

	if (t->runnable_ns > early)
		least = t->runnable_ns - early;
	if (least < t->preempted_ns)
		least = t->preempted_ns;
	return runnable_ns <= t->runnable_ns + margin + more_ns && runnable_ns + margin + more_ns >= least;
}

/* Two per cent; or, on a machine where what changes mappings takes longer, as many as MAPPINGS_BUSY in the environment says. */
static bool is_seldom(uint64_t anywhere, uint64_t intervals)
{
	const char *percent = getenv("MAPPINGS_BUSY");

	return anywhere * 100 <= intervals * (percent ? atoi(percent) : 2);
}

/* Is what @p says of the place of @t true? Says both. */
static bool is_true(const struct dusk_profile *p, const struct truth *t)
{
	struct away a = away_in(p, t->tid, t->function);
	/* Where the truth is a lower bound, the wait for the CPU on which the thread ends is not in it. */
	bool ok = within(a.ns, t->ns, 10000,
			 (t->sleeps + t->preemptions) * SWITCH_NS + a.anywhere_ns + stolen_ns() +
				 (t->has_counts ? 0 : a.runnable_ns + t->more_ns));

	ok = ok && is_seldom(a.anywhere, a.sleeps + a.preemptions);
	if (t->has_counts)
		ok = ok && is_true_runnable(a.runnable_ns, t, a.anywhere_ns) && a.sleeps <= t->sleeps &&
		     t->sleeps <= a.sleeps + a.anywhere && within(a.preemptions, t->preemptions, 10000, 8 + a.anywhere);
	print_message("%s %-26s %8.1f ms, true %8.1f (%.4f); runnable %7.1f, true %7.1f; %" PRIu64
		      " sleeps, true %" PRIu64 "; %" PRIu64 " preemptions, true %" PRIu64 "; %" PRIu64 " rows, %" PRIu64
		      " cut; %" PRIu64 " anywhere\n",
		      ok ? "  " : "!!", t->function, a.ns / 1e6, t->ns / 1e6, t->ns ? (double)a.ns / t->ns : 0,
		      a.runnable_ns / 1e6, t->runnable_ns / 1e6, a.sleeps, t->sleeps, a.preemptions, t->preemptions,
		      a.rows, a.cut, a.anywhere);
	return ok;
}

/* The life of a thread, which began a little before it took the time, and ended a little later. */
static bool is_true_life(const struct dusk_profile *p, const struct truth *t)
{
	uint64_t on_cpu = 0, runnable = 0, life = 0, switching = 0;
	bool ok = false;

	for (uint32_t i = 0; i < p->nr_thread_times; i++) {
		const struct dusk_thread_times *l = &p->thread_times[i];

		if (p->threads[l->thread].tid != t->tid)
			continue;
		on_cpu += l->on_cpu_ns;
		runnable += l->runnable_ns;
		life += l->end_ns - l->start_ns;
		switching += l->intervals * 2 * SWITCH_NS; /* it leaves, and comes back */
	}
	if (life >= t->ns)
		ok = within(on_cpu, t->cpu_ns, 10000, switching + life - t->ns + stolen_ns()) &&
		     is_true_runnable(runnable, t, life - t->ns);
	if (!ok)
		print_message(
			"!! thread %d: life %.3f ms, true %.3f; on CPU %.3f, true %.3f; runnable %.3f, true %.3f\n",
			t->tid, life / 1e6, t->ns / 1e6, on_cpu / 1e6, t->cpu_ns / 1e6, runnable / 1e6,
			t->runnable_ns / 1e6);
	return ok;
}

static void check_truths(const struct dusk_profile *p, const char *path, size_t least)
{
	size_t wrong = 0, places = 0;
	struct truths truths;

	truths_read(path, &truths);
	for (size_t i = 0; i < truths.nr; i++) {
		const struct truth *t = &truths.line[i];

		if (!strcmp(t->function, "life")) {
			wrong += !is_true_life(p, t);
		} else if (t->ns < LEAST_NS) {
			print_message("   %-26s does not block here: %.1f ms\n", t->function, t->ns / 1e6);
		} else {
			wrong += !is_true(p, t);
			places++;
		}
	}
	assert_int_equal(wrong, 0);
	assert_true(places >= least);
}

static void each_place_has_its_time_when_all_is_written(void **state)
{
	const char *file = live_file("all.dusk"), *truth = new_file("all.truth");

	assert_int_equal(RECORD(file, "-e", "offcpu", "--min-block", "0", "--", live_victim("absent"), truth, ROUNDS),
			 0);
	_cleanup_profile_ p = live_read(file);
	check_truths(p, truth, PLACES);
	check_conservation(p);
}

static void each_place_has_its_time_when_short_intervals_are_summed(void **state)
{
	const char *file = live_file("summed.dusk"), *truth = new_file("summed.truth");

	assert_int_equal(RECORD(file, "-e", "offcpu", "--", live_victim("absent"), truth, ROUNDS), 0);
	_cleanup_profile_ p = live_read(file);
	check_truths(p, truth, PLACES);
	check_conservation(p);
}

/* With ticks of the timer beside them: one does not take from the other. */
static void each_place_has_its_time_when_the_machine_is_recorded(void **state)
{
	const char *file = live_file("both.dusk"), *truth = new_file("both.truth");

	assert_int_equal(
		RECORD(file, "-a", "-e", "cpu,offcpu", "-F", "997", "--", live_victim("absent"), truth, ROUNDS), 0);
	_cleanup_profile_ p = live_read(file);
	check_truths(p, truth, PLACES);
	check_conservation(p);
}

/* One recording in another: both see the same program, but for a stack that one of them could not walk. */
static void both_ways_of_writing_have_the_same_totals(void **state)
{
	const char *all = live_file("outer.dusk"), *summed = new_file("inner.dusk"), *truth = new_file("twice.truth");
	struct truths truths;

	assert_int_equal(RECORD(all, "-e", "offcpu", "--min-block", "0", "--", live_dusk(), "record", "-q", "-e",
				"offcpu", "-o", summed, "--", live_victim("absent"), truth, ROUNDS),
			 0);
	_cleanup_profile_ outer = live_read(all);
	_cleanup_profile_ inner = live_read(summed);
	truths_read(truth, &truths);
	for (size_t i = 0; i < truths.nr; i++) {
		const struct truth *t = &truths.line[i];
		struct away a = away_in(outer, t->tid, t->function), b = away_in(inner, t->tid, t->function);

		if (!strcmp(t->function, "life"))
			continue;
		print_message("%-26s %.3f ms in %" PRIu64 " rows, %.3f ms in %" PRIu64 " rows; %" PRIu64 " and %" PRIu64
			      " off-CPU intervals\n",
			      t->function, a.ns / 1e6, a.rows, b.ns / 1e6, b.rows, a.sleeps + a.preemptions,
			      b.sleeps + b.preemptions);
		assert_true(within(a.ns, b.ns, 1000, a.anywhere_ns + b.anywhere_ns + stolen_ns()));
		assert_true(within(a.sleeps, b.sleeps, 0, a.anywhere + b.anywhere));
		assert_true(within(a.preemptions, b.preemptions, 0, a.anywhere + b.anywhere));
		assert_true(is_seldom(a.anywhere + b.anywhere, a.sleeps + b.sleeps + a.preemptions + b.preemptions));
		assert_true(b.rows <= a.rows + a.anywhere);
	}
}

static void all_intervals_have_the_whole_stack(void **state)
{
	const char *file = live_file("whole.dusk"), *truth = new_file("whole.truth");
	char pattern[128], *sentence;
	struct truths truths;

	assert_int_equal(RECORD(file, "-e", "offcpu", "--min-block", "0", "--", live_victim("absent"), truth, "50"), 0);
	_cleanup_profile_ p = live_read(file);
	truths_read(truth, &truths);
	for (size_t i = 0; i < truths.nr; i++) {
		const struct truth *t = &truths.line[i];

		if (!strcmp(t->function, "life") || (t->has_counts && !(t->sleeps + t->preemptions)))
			continue;
		sentence = away_sentence(p, t->tid, t->function);
		snprintf(pattern, sizeof(pattern), "(^| )follow dive\\*20 measure %s$", t->function);
		if (!sentence || !live_matches(sentence, pattern))
			fail_msg("not the stack of %s: %s", t->function, sentence ? sentence : "none");
		free(sentence);
		assert_int_equal(away_in(p, t->tid, t->function).cut, 0);
	}
}

static void a_write_that_blocks_16_times_is_16_intervals_with_one_stack(void **state)
{
	const char *file = live_file("write.dusk"), *truth = new_file("write.truth");
	static struct live_stack stack;
	uint64_t rows = 0;
	uint32_t user = 0;
	struct truths truths;

	assert_int_equal(RECORD(file, "-e", "offcpu", "--min-block", "0", "--", live_victim("absent"), truth, "16",
				"block_in_big_write"),
			 0);
	_cleanup_profile_ p = live_read(file);
	truths_read(truth, &truths);
	assert_string_equal(truths.line[0].function, "block_in_big_write");
	assert_true(truths.line[0].sleeps >= 16);
	assert_true(is_true(p, &truths.line[0]));
	for (uint64_t i = 0; i < p->nr_samples; i++) {
		const struct dusk_sample *s = &p->samples[i];
		uint32_t node = s->node;

		if (p->threads[s->thread].tid != truths.line[0].tid || !live_kernel_has(p, node, "anon_pipe_write"))
			continue;
		assert_int_equal(s->count, 1);
		live_user_stack(p, node, &stack);
		while (node && p->modules[p->frames[p->nodes[node].frame].module].kind == DUSK_MODULE_KERNEL)
			node = p->nodes[node].parent;
		if (user && node != user)
			fail_msg("two user stacks in one call");
		user = node;
		rows++;
	}
	print_message("%" PRIu64 " off-CPU intervals in one call; %" PRIu64 " walks of the program as a whole\n", rows,
		      live_counter(p, "walks"));
	assert_true(user);
	/* It may also have been preempted before the write, or after it. */
	assert_true(rows >= truths.line[0].sleeps && rows <= truths.line[0].sleeps + truths.line[0].preemptions);
}

/* @how: how the process ends, or becomes another one, while its threads block. */
static void check_leavers(const char *how)
{
	const char *file = live_file("leaves.dusk"), *truth = new_file("leaves.truth");

	print_message("%s:\n", how);
	assert_int_equal(RECORD(file, "-e", "offcpu", "--", live_victim("leaves"), how, truth, "500"), 0);
	_cleanup_profile_ p = live_read(file);
	check_truths(p, truth, 2);
	check_conservation(p);
}

static void a_thread_that_blocks_until_the_process_ends_has_its_time(void **state)
{
	check_leavers("exit");
}

static void a_thread_that_blocks_until_execve_has_its_time(void **state)
{
	check_leavers("exec");
}

static void a_thread_that_blocks_until_another_calls_execve_has_its_time(void **state)
{
	check_leavers("thread-exec");
}

/* Threads that begin and end, processes that do, execve(), vfork(), and a machine that has too much to do. */
static void no_time_is_lost_in_a_storm(void **state)
{
	const char *file = live_file("storm.dusk");
	pid_t pid[3];

	pid[0] = live_start(false, (const char *const[]){live_victim("storm"), live_victim("short"), "1000000", NULL});
	pid[1] = START(live_victim("threads"));
	pid[2] = live_start(false, (const char *const[]){live_victim("storm"), "/bin/true", "1000000", NULL});
	assert_int_equal(RECORD(file, "-a", "-e", "cpu,offcpu", "-d", "3s"), 0);
	for (int i = 0; i < 3; i++)
		live_end(pid[i]);
	_cleanup_profile_ p = live_read(file);
	check_conservation(p);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_place_has_its_time_when_all_is_written),
		cmocka_unit_test(each_place_has_its_time_when_short_intervals_are_summed),
		cmocka_unit_test(each_place_has_its_time_when_the_machine_is_recorded),
		cmocka_unit_test(both_ways_of_writing_have_the_same_totals),
		cmocka_unit_test(all_intervals_have_the_whole_stack),
		cmocka_unit_test(a_write_that_blocks_16_times_is_16_intervals_with_one_stack),
		cmocka_unit_test(a_thread_that_blocks_until_the_process_ends_has_its_time),
		cmocka_unit_test(a_thread_that_blocks_until_execve_has_its_time),
		cmocka_unit_test(a_thread_that_blocks_until_another_calls_execve_has_its_time),
		cmocka_unit_test(no_time_is_lost_in_a_storm),
	};

	return LIVE_MAIN(argc, argv, tests);
}
