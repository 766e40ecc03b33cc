/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Threads that sleep when the recording stops, 10,000 of them: has each its stack, and its time up to the end, although
 * it does not come back to a CPU? And do they sleep on?
 */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "intervals.h"

#define THREADS "10000"

static const char *text_of(pid_t pid)
{
	static char text[16];

	snprintf(text, sizeof(text), "%d", pid);
	return text;
}

/* How often have the threads of @pid slept so far, and how many are there? */
static uint64_t sleeps_of(pid_t pid, size_t *ret_threads)
{
	char path[300], line[256];
	uint64_t sum = 0, nr;
	struct dirent *entry;
	DIR *folder;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	folder = opendir(path);
	assert_non_null(folder);
	*ret_threads = 0;
	while ((entry = readdir(folder))) {
		FILE *f;

		snprintf(path, sizeof(path), "/proc/%d/task/%s/status", pid, entry->d_name);
		f = entry->d_name[0] == '.' ? NULL : fopen(path, "r");
		if (!f)
			continue;
		while (fgets(line, sizeof(line), f))
			if (sscanf(line, "voluntary_ctxt_switches: %" SCNu64, &nr) == 1)
				sum += nr;
		fclose(f);
		++*ret_threads;
	}
	closedir(folder);
	return sum;
}

/* Until none of the threads has fallen asleep anew for half a second. */
static void wait_until_all_sleep(pid_t pid)
{
	uint64_t before = 0, slept;
	double end = live_now_s() + 120;
	size_t nr;

	for (int same = 0; same < 5; same = slept == before ? same + 1 : 0, before = slept) {
		if (live_now_s() > end)
			fail_msg("the threads do not come to rest");
		live_sleep_ms(100);
		slept = sleeps_of(pid, &nr);
	}
}

struct sleeper {
	uint64_t ns;
	bool is_in_block, is_in_main;
};

/* One that blocked stands in block or main, and nowhere else; by tid. To be freed. */
static struct sleeper *look_at(const struct dusk_profile *p, pid_t pid, pid_t *ret_max)
{
	struct sleeper *all;

	*ret_max = 0;
	for (uint32_t i = 0; i < p->nr_threads; i++)
		if (p->threads[i].tid > *ret_max)
			*ret_max = p->threads[i].tid;
	all = calloc(*ret_max + 1, sizeof(*all));
	assert_non_null(all);
	for (uint64_t i = 0; i < p->nr_samples; i++) {
		const struct dusk_sample *s = &p->samples[i];
		struct sleeper *one = &all[p->threads[s->thread].tid];
		char *sentence;

		if (!live_is_of(p, s, pid) || s->source != DUSK_OFF_CPU)
			continue;
		one->ns += s->value_ns;
		if (!live_kernel_has(p, s->node, "anon_pipe_read") && s->value_ns < 100000000)
			continue;
		sentence = live_sentence_at(p, s->node);
		if (live_class(p, s) != DUSK_COMPLETE)
			fail_msg("a sleeper of %" PRIu64 " ms without its stack (%s): %s", s->value_ns / 1000000,
				 live_outcome(p, s), sentence);
		one->is_in_block |= live_matches(sentence, "(^| )join dive(\\*[0-9]+)? block ");
		one->is_in_main |= live_matches(sentence, "^main (pause|__libc_pause|doze)");
		free(sentence);
	}
	return all;
}

static void check_crowd(const struct dusk_profile *p, pid_t pid)
{
	uint64_t nr = 0, in_block = 0, in_main = 0, away = 0, life = 0;
	pid_t max;
	struct sleeper *all = look_at(p, pid, &max);

	for (uint32_t i = 0; i < p->nr_thread_times; i++) {
		const struct dusk_thread_times *l = &p->thread_times[i];
		const struct sleeper *one = &all[p->threads[l->thread].tid];

		if (p->threads[l->thread].pid != pid)
			continue;
		nr++;
		in_block += one->is_in_block;
		in_main += one->is_in_main;
		away += one->ns;
		life += l->end_ns - l->start_ns;
		if (!within(one->ns + l->on_cpu_ns, l->end_ns - l->start_ns, 1000, 1000))
			fail_msg("thread %d lived %" PRIu64 " ns: %" PRIu64 " off CPU, %" PRIu64 " on; in block: %d",
				 p->threads[l->thread].tid, l->end_ns - l->start_ns, one->ns, l->on_cpu_ns,
				 one->is_in_block);
	}
	free(all);
	print_message("%" PRIu64 " threads, %" PRIu64 " of them in block and %" PRIu64
		      " in main; %.3f of %.3f s off CPU\n",
		      nr, in_block, in_main, away / 1e9, life / 1e9);
	assert_int_equal(in_block, atoi(THREADS));
	assert_int_equal(in_main, 1);
	assert_int_equal(nr, in_block + 1);
}

static void a_thread_that_sleeps_from_begin_to_end_has_stack_and_time(void **state)
{
	const char *file = live_file("asleep.dusk");
	pid_t pid = START(live_victim("throng"), THREADS);
	size_t before, after;
	uint64_t slept;

	wait_until_all_sleep(pid);
	slept = sleeps_of(pid, &before);
	assert_int_equal(RECORD(file, "-e", "offcpu", "-p", text_of(pid), "-d", "1s"), 0);
	assert_int_equal(sleeps_of(pid, &after), slept); /* nobody was woken for it */
	assert_int_equal(before, after);
	live_end(pid);

	_cleanup_profile_ p = live_read(file);
	for (uint32_t i = 0; i < p->nr_thread_times; i++)
		assert_true(p->thread_times[i].end_ns - p->thread_times[i].start_ns >= 900000000);
	check_crowd(p, pid);
	check_conservation(p);
}

static void a_thread_that_falls_asleep_and_does_not_wake_has_stack_and_time(void **state)
{
	const char *file = live_file("fallen.dusk");
	pid_t recorder = START_RECORD(file, "-a", "-e", "cpu,offcpu"), pid = START(live_victim("throng"), THREADS);

	wait_until_all_sleep(pid);
	assert_int_equal(live_stop_record(recorder), 0);
	live_end(pid);

	_cleanup_profile_ p = live_read(file);
	check_crowd(p, pid);
	check_conservation(p);
}

/* Requests that found no room for their thread, of 3,000 threads that begin while there is room for @max_tasks. */
static uint64_t requests_without_room(const char *file, const char *max_tasks)
{
	pid_t recorder = START_RECORD(file, "-a", "-e", "offcpu", "--private", "--max-tasks", max_tasks);
	pid_t pid = START(live_victim("throng"), "3000");
	uint64_t ret;

	wait_until_all_sleep(pid);
	assert_int_equal(live_stop_record(recorder), 0);
	live_end(pid);

	_cleanup_profile_ p = live_read(file);
	ret = live_counter(p, "refused-no-state");
	print_message("room for %s: %" PRIu64 " requests refused\n", max_tasks, ret);
	return ret;
}

static void a_recording_has_room_for_max_tasks_threads(void **state)
{
	assert_true(requests_without_room(live_file("small.dusk"), "1024") > 500);
	assert_int_equal(requests_without_room(live_file("large.dusk"), "16384"), 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_thread_that_sleeps_from_begin_to_end_has_stack_and_time),
		cmocka_unit_test(a_thread_that_falls_asleep_and_does_not_wake_has_stack_and_time),
		cmocka_unit_test(a_recording_has_room_for_max_tasks_threads),
	};

	return LIVE_MAIN(argc, argv, tests);
}
