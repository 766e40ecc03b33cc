/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Are off-CPU intervals of mode copied, which come from records of context switches, as true as those of the full mode? Is
 * each place's time what the program itself measures, with the same stack as in the full mode; and what becomes of it
 * when records are lost?
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "intervals.h"

#define ROUNDS "200"	  /* 0.6 s and more in each place */
#define LEAST_NS 20000000 /* a place where less time is spent does not block on this machine */
#define SWITCH_NS 5000	  /* what may lie between two programs that take the time of a switch */
#define PEAK_MB 256
#define GAP_MS 1500
#define COPIED "--mode", "copied", "-e", "offcpu"

/* A file in the test's folder that does not exist yet. */
static const char *new_file(const char *name)
{
	const char *path = live_file(name);

	unlink(path);
	return path;
}

/* Is what @p says of the place of @t true? Says both. */
static bool is_true(const struct dusk_profile *p, const struct truth *t)
{
	struct away a = away_in(p, t->tid, t->function);
	bool ok = within(a.ns, t->ns, 10000,
			 (t->sleeps + t->preemptions) * SWITCH_NS + a.anywhere_ns +
				 (t->has_counts ? 0 : a.runnable_ns + t->more_ns));

	ok = ok && a.anywhere <= a.sleeps + a.preemptions;
	if (t->has_counts)
		ok = ok && a.sleeps <= t->sleeps && t->sleeps <= a.sleeps + a.anywhere &&
		     within(a.preemptions, t->preemptions, 10000, 8 + a.anywhere);
	print_message("%s %-26s %8.1f ms, true %8.1f (%.4f); %" PRIu64 " sleeps, true %" PRIu64 "; %" PRIu64
		      " preemptions, true %" PRIu64 "; %" PRIu64 " rows, %" PRIu64 " cut; %" PRIu64 " anywhere\n",
		      ok ? "  " : "!!", t->function, a.ns / 1e6, t->ns / 1e6, t->ns ? (double)a.ns / t->ns : 0,
		      a.sleeps, t->sleeps, a.preemptions, t->preemptions, a.rows, a.cut, a.anywhere);
	return ok;
}

/* A stack may get lost, and then nobody knows in which place the time was. A record of a switch does not. */
static void check_truths(const struct dusk_profile *p, const char *path, size_t least)
{
	size_t wrong = 0, places = 0;
	struct truths truths;

	truths_read(path, &truths);
	for (size_t i = 0; i < truths.nr; i++) {
		const struct truth *t = &truths.line[i];

		if (!strcmp(t->function, "life") || t->ns < LEAST_NS)
			continue;
		wrong += !is_true(p, t);
		places++;
	}
	assert_int_equal(live_counter(p, "lost-switches"), 0);
	assert_int_equal(wrong, 0);
	assert_true(places >= least);
}

#define TRIES 8

/*
 * Record the victim in @places, some at a time, for so many rounds, until no stack was lost: where there are more switches than
 * the recorder has time for, nobody knows in which place the time was. To be freed.
 */
static struct dusk_profile *record_places(const char *const options[2], const char *rounds, const char *const places[4],
					  const char **truth)
{
	for (int i = 0; i < TRIES; i++) {
		const char *file = live_file("places.dusk");
		struct dusk_profile *p;

		*truth = new_file("places.truth");
		assert_int_equal(RECORD(file, options[0], options[1], COPIED, "--", live_victim("absent"), *truth,
					rounds, places[0], places[1], places[2], places[3]),
				 0);
		p = live_read(file);
		if (!live_counter(p, "lost-switch-stacks"))
			return p;
		dusk_profile_free(p);
	}
	print_message("stacks were lost in %d recordings: this machine is too busy\n", TRIES);
	skip();
	return NULL;
}

static void check_places(const char *least, const char *const places[4])
{
	const char *truth;
	_cleanup_profile_ p = record_places((const char *const[]){"--min-block", least}, ROUNDS, places, &truth);

	check_truths(p, truth, 3);
	assert_int_equal(live_counter(p, "unknown-times"), 0);
	check_conservation(p);
}

static void each_place_has_its_time(void **state)
{
	static const char *const places[][4] = {
		{"block_in_nanosleep", "block_in_short_sleep", "block_in_poll", "block_in_futex"},
		{"block_in_mutex", "block_in_condition", "block_in_pipe", "block_in_socket"},
		{"block_in_big_write", "block_in_big_read", "block_in_userfault", "be_preempted"},
		{"block_in_wait", "block_in_vfork", "block_in_stop", "block_in_fault"},
	};

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		check_places("0", places[i]);
		check_places("1ms", places[i]); /* short ones are summed up */
	}
}

static void the_machine_has_it_too(void **state)
{
	static const char *const places[4] = {"block_in_nanosleep", "block_in_futex", "block_in_pipe", "block_in_wait"};
	const char *truth;
	_cleanup_profile_ p = record_places((const char *const[]){"-a", "-q"}, "50", places, &truth);

	check_truths(p, truth, 4);
}

/* The stack of each place in one mode; to be freed. */
static char *stack_in(const char *file, const char *truth, const char *function)
{
	_cleanup_profile_ p = live_read(file);
	struct truths truths;
	char *found = NULL;

	truths_read(truth, &truths);
	for (size_t i = 0; i < truths.nr; i++)
		if (!strcmp(truths.line[i].function, function)) {
			struct away a = away_in(p, truths.line[i].tid, function);

			/* The full mode waits for no page while other threads hold the lock of the mappings, as they begin. */
			if (a.cut * 2 > a.rows || (a.cut && strcmp(a.why_cut, "page-not-safe") != 0))
				fail_msg("%s: %llu of %llu stacks in %s are cut: %s", file, (unsigned long long)a.cut,
					 (unsigned long long)a.rows, function, a.why_cut);
			found = away_sentence(p, truths.line[i].tid, function);
		}
	return found;
}

static void compare_modes(const char *const places[3])
{
	const char *full = live_file("full.dusk"), *copied = live_file("copied.dusk");
	const char *truth[] = {new_file("full.truth"), new_file("copied.truth")};
	char pattern[128];

	assert_int_equal(RECORD(full, "-e", "offcpu", "--", live_victim("absent"), truth[0], "50", places[0], places[1],
				places[2]),
			 0);
	assert_int_equal(
		RECORD(copied, COPIED, "--", live_victim("absent"), truth[1], "50", places[0], places[1], places[2]),
		0);
	for (size_t i = 0; i < 3; i++) {
		char *one = stack_in(full, truth[0], places[i]), *other = stack_in(copied, truth[1], places[i]);

		snprintf(pattern, sizeof(pattern), "(^| )follow dive\\*20 measure %s$", places[i]);
		if (!one || !other || strcmp(one, other) || !live_matches(other, pattern))
			fail_msg("%s: %s, and %s", places[i], one ? one : "none", other ? other : "none");
		free(one);
		free(other);
	}
}

/* Some places at a time: of all switches of all places, a slow machine loses the stacks of half. */
static void both_modes_have_the_same_stacks(void **state)
{
	static const char *const places[][3] = {
		{"block_in_nanosleep", "block_in_poll", "block_in_futex"},
		{"block_in_mutex", "block_in_pipe", "block_in_socket"},
		{"block_in_big_write", "block_in_wait", "be_preempted"},
	};

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		compare_modes(places[i]);
}

static void threads_that_end_or_call_execve_have_their_time(void **state)
{
	static const char *const how[] = {"exit", "exec", "thread-exec"};

	for (size_t i = 0; i < 3; i++) {
		const char *file = live_file("leaves.dusk"), *truth = new_file("leaves.truth");

		print_message("%s:\n", how[i]);
		assert_int_equal(RECORD(file, COPIED, "--", live_victim("leaves"), how[i], truth, "200"), 0);
		_cleanup_profile_ p = live_read(file);
		check_truths(p, truth, 2);
		check_conservation(p);
	}
}

static void no_time_of_short_lives_is_lost(void **state)
{
	const char *file = live_file("storm.dusk");

	assert_int_equal(RECORD(file, COPIED, "--", live_victim("storm"), live_victim("short"), "200"), 0);
	_cleanup_profile_ p = live_read(file);
	assert_true(p->nr_thread_times > 200);
	check_conservation(p);
}

static uint64_t peak_mb(pid_t pid)
{
	uint64_t kb = 0;
	char path[32], line[128];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		sscanf(line, "VmHWM: %" SCNu64, &kb);
	if (f)
		fclose(f);
	return kb / 1024;
}

/*
 * Two threads switch all the time, and the recorder does not read for a while. No interval is as long as that: what it
 * has not seen belongs to none, and the threads' times do not add up any more.
 */
static void what_was_lost_is_no_interval(void **state)
{
	const char *file = live_file("gap.dusk");
	pid_t pid = START(live_victim("turns")), recorder;
	uint64_t life = 0, accounted = 0, longest = 0;
	char number[16];

	snprintf(number, sizeof(number), "%d", pid);
	recorder = START_RECORD(file, COPIED, "--min-block", "20ms", "-p", number);
	kill(recorder, SIGSTOP);
	live_sleep_ms(GAP_MS);
	kill(recorder, SIGCONT);
	live_sleep_ms(1000);
	assert_in_range(peak_mb(recorder), 1, PEAK_MB); /* of the stacks, more come than can be walked */
	assert_int_equal(live_stop_record(recorder), 0);
	live_end(pid);
	_cleanup_profile_ p = live_read(file);
	for (uint64_t i = 0; i < p->nr_samples; i++) {
		const struct dusk_sample *s = &p->samples[i];

		if (s->count == 1 && s->value_ns > longest)
			longest = s->value_ns;
	}
	for (uint32_t i = 0; i < p->nr_thread_times; i++) {
		const struct dusk_thread_times *l = &p->thread_times[i];

		assert_true(l->on_cpu_ns + l->runnable_ns + l->blocked_ns <= l->end_ns - l->start_ns);
		life += l->end_ns - l->start_ns;
		accounted += l->on_cpu_ns + l->runnable_ns + l->blocked_ns;
	}
	print_message("%" PRIu64 " switches lost, %" PRIu64 " times unknown; longest %.3f ms; %.3f s of %.3f s known\n",
		      live_counter(p, "lost-switches"), live_counter(p, "unknown-times"), longest / 1e6,
		      accounted / 1e9, life / 1e9);
	assert_true(live_counter(p, "lost-switches") > 0);
	assert_true(live_counter(p, "unknown-times") > 0);
	assert_true(longest < GAP_MS / 2 * 1000000ULL);
	assert_true(life - accounted >= GAP_MS / 2 * 1000000ULL); /* of two threads; the rings keep what came first */
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_place_has_its_time),
		cmocka_unit_test(the_machine_has_it_too),
		cmocka_unit_test(both_modes_have_the_same_stacks),
		cmocka_unit_test(threads_that_end_or_call_execve_have_their_time),
		cmocka_unit_test(no_time_of_short_lives_is_lost),
		cmocka_unit_test(what_was_lost_is_no_interval),
	};

	return LIVE_MAIN(argc, argv, tests);
}
