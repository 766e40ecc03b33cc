/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The whole machine on this kernel, also while CPUs come and go. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include "live.h"

static struct live_stack stack;

/* Eight threads that give up the CPU at once: emulated, it is slow. */
static pid_t start_threads(void)
{
	pid_t pid;

	assert_int_equal(setpriority(PRIO_PROCESS, 0, 19), 0);
	pid = START(live_victim("threads"));
	assert_int_equal(setpriority(PRIO_PROCESS, 0, 0), 0);
	return pid;
}

/* All stacks of thread tN of victim "threads" are whole, and 10 N deep in recurse: how many are there? */
static size_t check_threads(const struct dusk_profile *p, pid_t pid)
{
	struct live_tally tally = live_count(p, pid);
	char pattern[64], *sentence;
	size_t named = 0;

	for (uint64_t i = 0; i < p->nr_samples; i++) {
		const struct dusk_sample *s = &p->samples[i];
		const char *comm = p->threads[s->thread].comm;

		if (!live_is_of(p, s, pid) || live_class(p, s) != DUSK_COMPLETE || !live_matches(comm, "^t[1-8]$"))
			continue;
		live_user_stack(p, s->node, &stack);
		sentence = live_sentence(&stack);
		snprintf(pattern, sizeof(pattern), " work( recurse(\\*[0-9]{1,2})?( burn)?)?$");
		if (!live_matches(sentence, pattern))
			fail_msg("not a stack of thread %s: %s", comm, sentence);
		snprintf(pattern, sizeof(pattern), " work recurse\\*%s0 burn$", comm + 1);
		named += live_matches(sentence, pattern);
		assert_false(live_matches(sentence, " burn$") && !live_matches(sentence, pattern));
		free(sentence);
	}
	print_message("%llu stacks, %llu complete, %zu of them in burn\n", (unsigned long long)tally.walked,
		      (unsigned long long)tally.complete, named);
	assert_int_equal(tally.complete, tally.walked);
	return named;
}

static void the_whole_machine_is_recorded(void **state)
{
	const char *file = live_file("machine.dusk");
	pid_t pid = start_threads();

	assert_int_equal(RECORD(file, "-a", "-F", "199", "-d", "2s"), 0);
	live_end(pid);
	_cleanup_profile_ p = live_read(file);
	live_check_counters(p);
	assert_true(check_threads(p, pid) > 50);
}

static void set_cpu1(const char *online)
{
	int fd = open("/sys/devices/system/cpu/cpu1/online", O_WRONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, online, 1), 1);
	close(fd);
}

static uint64_t samples_of_cpu(const struct dusk_profile *p, int cpu)
{
	uint64_t nr = 0;

	for (uint64_t i = 0; i < p->nr_samples; i++)
		nr += p->samples[i].cpu == cpu;
	return nr;
}

/* Wait until CPU 1 is sampled, in a recording that goes on. */
static void cpu1_is_sampled(const char *file)
{
	_cleanup_profile_ before = live_read(file);
	double end = live_now_s() + 60;
	bool more = false;

	while (!more && live_now_s() < end) {
		_cleanup_profile_ now = live_read(file);

		more = samples_of_cpu(now, 1) > samples_of_cpu(before, 1) + 20;
		live_sleep_ms(200);
	}
	assert_true(more);
}

/* Record while CPU 1 is offline at first, comes and goes. */
static void record_hotplug(const char *mode)
{
	const char *file = live_file("hotplug.dusk");
	pid_t pid, recorder;

	set_cpu1("0");
	pid = start_threads();
	recorder = START_RECORD(file, "-a", "-F", "199", "--mode", mode);
	for (int i = 0; i < 2; i++) {
		set_cpu1("1");
		cpu1_is_sampled(file);
		set_cpu1("0");
		live_sleep_ms(300);
	}
	set_cpu1("1");
	assert_int_equal(live_stop_record(recorder), 0);
	live_end(pid);

	_cleanup_profile_ p = live_read(file);
	print_message("%llu samples of CPU 0, %llu of CPU 1\n", (unsigned long long)samples_of_cpu(p, 0),
		      (unsigned long long)samples_of_cpu(p, 1));
	if (!strcmp(mode, "full"))
		live_check_counters(p);
	assert_true(check_threads(p, pid) > 50);
}

static void cpus_may_go_and_come_back(void **state)
{
	record_hotplug("full");
}

static void and_in_mode_copied(void **state)
{
	record_hotplug("copied");
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_whole_machine_is_recorded),
		cmocka_unit_test(cpus_may_go_and_come_back),
		cmocka_unit_test(and_in_mode_copied),
	};

	return LIVE_MAIN(argc, argv, tests);
}
