/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Are exactly the tasks recorded that were named, and their children, also by two recorders at once? */
#include <mntent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "live.h"

static struct live_stack stack;

static const char *text_of(char *ret, size_t size, pid_t pid)
{
	snprintf(ret, size, "%d", pid);
	return ret;
}

/* How many samples have function @name in their user stack? */
static size_t samples_in(const struct dusk_profile *p, const char *name)
{
	size_t nr = 0;

	for (uint64_t i = 0; i < p->nr_samples; i++) {
		live_user_stack(p, p->samples[i].node, &stack);
		for (size_t f = 0; f < stack.nr; f++)
			if (stack.frame[f].name && !strcmp(stack.frame[f].name, name)) {
				nr++;
				break;
			}
	}
	return nr;
}

static size_t samples_of_others(const struct dusk_profile *p, pid_t pid)
{
	size_t nr = 0;

	for (uint64_t i = 0; i < p->nr_samples; i++)
		nr += !live_is_of(p, &p->samples[i], pid);
	return nr;
}

static void a_process_with_its_threads_and_what_it_makes(void **state)
{
	pid_t victim = START(live_victim("family")), other = START(live_victim("recurse"), "10"), recorder;
	const char *file = live_file("family.dusk");
	char pid[16];

	recorder = START_RECORD(file, "-F", "997", "-p", text_of(pid, sizeof(pid), victim));
	kill(victim, SIGUSR1);
	live_sleep_ms(1000);
	assert_int_equal(live_stop_record(recorder), 0);
	live_end(victim);
	live_end(other);

	_cleanup_profile_ p = live_read(file);
	assert_true(samples_in(p, "first_work") > 0);
	assert_true(samples_in(p, "second_work") > 0);
	assert_true(samples_in(p, "late_work") > 0);
	assert_true(samples_in(p, "child_work") > 0);
	assert_int_equal(samples_in(p, "compare"), 0);
	for (uint64_t i = 0; i < p->nr_samples; i++)
		assert_int_not_equal(p->threads[p->samples[i].thread].pid, other);
}

static void a_thread_alone(void **state)
{
	pid_t victim = START(live_victim("family"));
	const char *file = live_file("thread.dusk");
	char tid[16];

	assert_int_equal(RECORD(file, "-F", "997", "-d", "700ms", "-t", text_of(tid, sizeof(tid), victim)), 0);
	live_end(victim);
	_cleanup_profile_ p = live_read(file);
	assert_true(samples_in(p, "first_work") > 20);
	assert_int_equal(samples_in(p, "second_work"), 0);
	for (uint64_t i = 0; i < p->nr_samples; i++)
		assert_int_equal(p->threads[p->samples[i].thread].tid, victim);
}

static void a_process_that_ends_ends_the_recording(void **state)
{
	pid_t victim = START(live_victim("recurse"), "10"), recorder;
	const char *file = live_file("ends.dusk");
	char pid[16];

	recorder = START_RECORD(file, "-F", "997", "-p", text_of(pid, sizeof(pid), victim));
	live_end(victim);
	assert_int_equal(live_wait(recorder, 20), 0);
	_cleanup_profile_ p = live_read(file);
	assert_true(p->finished);
	assert_true(samples_in(p, "burn") > 20);
	assert_int_equal(samples_of_others(p, victim), 0);
}

static void a_process_that_becomes_another_program(void **state)
{
	const char *file = live_file("becomes.dusk");
	static const char script[] = "exec timeout 0.7 \"$1\" 10";

	assert_int_equal(RECORD(file, "-F", "997", "--", "sh", "-c", script, "sh", live_victim("recurse")), 124);
	_cleanup_profile_ p = live_read(file);
	assert_true(samples_in(p, "burn") > 20);
}

static void two_recorders_at_once(void **state)
{
	pid_t victim = START(live_victim("recurse"), "60"), one, two;
	const char *file = live_file("one.dusk"), *file_two = live_file("two.dusk");
	char pid[16];

	text_of(pid, sizeof(pid), victim);
	one = START_RECORD(file, "-F", "499", "-p", pid);
	two = START_RECORD(file_two, "-F", "997", "-a");
	live_wait_cpu(victim, 1000);
	assert_int_equal(live_stop_record(one), 0);
	assert_int_equal(live_stop_record(two), 0);
	live_end(victim);
	_cleanup_profile_ p = live_read(file);
	_cleanup_profile_ q = live_read(file_two);
	struct live_tally a = live_count(p, victim), b = live_count(q, victim);

	assert_true(a.walked > 50 && b.walked > 50);
	assert_int_equal(a.complete, a.walked);
	assert_int_equal(b.complete, b.walked);
	print_message("%llu stacks for one, %llu for the other, all complete\n", (unsigned long long)a.walked,
		      (unsigned long long)b.walked);
}

/* Where cgroup2 is mounted, or NULL. */
static const char *cgroup2(void)
{
	static char path[4096];
	FILE *mounts = setmntent("/proc/mounts", "r");
	const char *found = NULL;
	struct mntent *m;

	assert_non_null(mounts);
	while (!found && (m = getmntent(mounts)))
		if (!strcmp(m->mnt_type, "cgroup2")) {
			snprintf(path, sizeof(path), "%s", m->mnt_dir);
			found = path;
		}
	endmntent(mounts);
	return found;
}

static void move_to(const char *folder, pid_t pid)
{
	char path[4200];
	FILE *f;

	snprintf(path, sizeof(path), "%s/cgroup.procs", folder);
	f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f, "%d\n", pid);
	assert_int_equal(fclose(f), 0);
}

/* A process in the cgroup has eight busy threads, which preempt each other, one below runs, and a third one is elsewhere. */
static void check_cgroup(const char *mode)
{
	const char *top = cgroup2(), *file = live_file("cgroup.dusk");
	char folder[4120], below[4140];
	size_t nr_intervals = 0, nr_of_others = 0;
	pid_t victim, parent, other;

	if (!top) {
		print_message("cgroup2 is not mounted\n");
		skip();
	}
	snprintf(folder, sizeof(folder), "%s/dusk-live-%d", top, getpid());
	snprintf(below, sizeof(below), "%s/below", folder);
	assert_int_equal(mkdir(folder, 0755), 0);
	assert_int_equal(mkdir(below, 0755), 0);
	victim = START(live_victim("recurse"), "10");
	parent = START(live_victim("threads"));
	other = START(live_victim("recurse"), "60");
	move_to(below, victim);
	move_to(folder, parent);
	int status = RECORD(file, "--mode", mode, "-e", "cpu,offcpu", "-F", "997", "-d", "700ms", "-G", folder);

	live_end(victim);
	live_end(parent);
	live_end(other);
	rmdir(below);
	rmdir(folder);
	assert_int_equal(status, 0);
	_cleanup_profile_ p = live_read(file);
	assert_true(live_count(p, victim).complete > 20);
	assert_true(live_count(p, parent).complete > 20);
	for (uint64_t i = 0; i < p->nr_samples; i++) {
		const struct dusk_sample *s = &p->samples[i];

		nr_intervals += s->source == DUSK_OFF_CPU && live_is_of(p, s, parent) ? s->count : 0;
		nr_of_others += !live_is_of(p, s, victim) && !live_is_of(p, s, parent);
	}
	assert_true(nr_intervals > 20);
	assert_int_equal(nr_of_others, 0);
}

static void a_cgroup_and_what_is_below(void **state)
{
	check_cgroup("full");
}

static void a_cgroup_in_mode_copied(void **state)
{
	check_cgroup("copied");
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_process_with_its_threads_and_what_it_makes),
		cmocka_unit_test(a_thread_alone),
		cmocka_unit_test(a_process_that_ends_ends_the_recording),
		cmocka_unit_test(a_process_that_becomes_another_program),
		cmocka_unit_test(two_recorders_at_once),
		cmocka_unit_test(a_cgroup_and_what_is_below),
		cmocka_unit_test(a_cgroup_in_mode_copied),
	};

	return LIVE_MAIN(argc, argv, tests);
}
