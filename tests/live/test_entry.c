/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A visit to the kernel has one stack and one walk, however often and from wherever it is asked for; and the next visit
 * has its own, even if all its registers are the same.
 */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "live.h"
#include "test_arch.h"

#define CALL "^main fill readv$"
#define EVICTORS 3

static const char *text_of(pid_t pid)
{
	static char text[16];

	snprintf(text, sizeof(text), "%d", pid);
	return text;
}

/* The sentence of a sample, to be freed; fails if it has no whole stack. */
static char *whole(const struct dusk_profile *p, const struct dusk_sample *s)
{
	char *sentence;

	sentence = live_sentence_at(p, s->node);
	if (live_class(p, s) != DUSK_COMPLETE)
		fail_msg("incomplete (%s): %s", live_outcome(p, s), sentence);
	return sentence;
}

/* Still due at the end, lost on a machine that has too much to do, or refused in what may be one visit to the kernel. */
static bool is_due(const struct dusk_profile *p, const struct dusk_sample *s)
{
	return !strcmp(live_outcome(p, s), "pending") || !strcmp(live_outcome(p, s), "ring-lost") ||
	       (!TEST_VISITS_ARE_TOLD && !strcmp(live_outcome(p, s), "asked-again"));
}

/* What reads of /dev/urandom and /dev/zero are in; compilers differ in which of the functions are left. */
static bool is_random(const struct dusk_profile *p, uint32_t node)
{
	return live_kernel_has(p, node, "get_random_bytes_user") || live_kernel_has(p, node, "urandom_read_iter");
}

/* On arm64 the kernel does not see which function has called one that saves no frame, as __arch_clear_user(). */
static bool is_zero(const struct dusk_profile *p, uint32_t node)
{
	return live_kernel_has(p, node, "read_zero") || live_kernel_has(p, node, "read_iter_zero") ||
	       live_kernel_has(p, node, "__arch_clear_user");
}

/* Samples of a "longcall" that was recorded while it made @calls calls: how often did its CPU change? */
static uint64_t check_calls(const struct dusk_profile *p, unsigned long calls)
{
	uint64_t inside = 0, outside = 0, other_cpus = 0, other_kernel_stacks = 0;
	const struct dusk_sample *last = NULL;

	for (uint64_t i = 0; i < p->nr_samples; i++) {
		const struct dusk_sample *s = &p->samples[i];
		char *sentence;

		if (!is_random(p, s->node)) {
			outside++;
			continue;
		}
		inside++;
		other_cpus += last && last->cpu != s->cpu;
		other_kernel_stacks += last && last->node != s->node;
		last = s;
		if (is_due(p, s))
			continue;
		sentence = whole(p, s);
		if (!live_matches(sentence, CALL))
			fail_msg("not the caller's stack: %s", sentence);
		free(sentence);
	}
	print_message("%llu samples in %lu calls, %llu others; %llu walks asked for; the CPU changed %llu times\n",
		      (unsigned long long)inside, calls, (unsigned long long)outside,
		      (unsigned long long)live_counter(p, "scheduled"), (unsigned long long)other_cpus);
	assert_true(inside > 20 * calls);
	/* One walk a call, and one more if a sample hit between its walk and user mode. */
	assert_true(live_counter(p, "scheduled") <= outside + 2 * calls);
	assert_true(other_kernel_stacks > 0);
	return other_cpus;
}

static struct dusk_profile *record_calls(unsigned long *calls, void (*meanwhile)(pid_t victim))
{
	volatile unsigned long *number = live_number(live_file("calls"));
	pid_t pid = START(live_victim("longcall"), live_file("calls"));
	const char *file = live_file("calls.dusk");
	unsigned long before = *number;
	pid_t recorder = START_RECORD(file, "-F", "4999", "-p", text_of(pid));

	for (int i = 0; i < 100; i++)
		meanwhile(pid);
	assert_int_equal(live_stop_record(recorder), 0);
	*calls = *number - before + 1;
	live_end(pid);
	munmap((void *)number, 4096);
	return live_read(file);
}

static void wait_a_little(pid_t victim)
{
	live_sleep_ms(10);
}

static void all_samples_of_one_call_share_one_walk(void **state)
{
	unsigned long calls;
	_cleanup_profile_ p = record_calls(&calls, wait_a_little);

	check_calls(p, calls);
}

static int other_cpu;

static void move(pid_t victim)
{
	cpu_set_t set;

	other_cpu = !other_cpu;
	CPU_ZERO(&set);
	CPU_SET(other_cpu, &set);
	sched_setaffinity(victim, sizeof(set), &set);
	live_sleep_ms(7);
}

static void a_cookie_moves_with_its_task(void **state)
{
	unsigned long calls;
	cpu_set_t set;

	sched_getaffinity(0, sizeof(set), &set);
	if (!CPU_ISSET(0, &set) || !CPU_ISSET(1, &set)) {
		print_message("one CPU\n");
		skip();
	}
	_cleanup_profile_ p = record_calls(&calls, move);

	assert_true(check_calls(p, calls) > calls);
}

/* How many samples had which caller, after a look at what the kernel did for each. */
static void check_twins(const struct dusk_profile *p, pid_t pid)
{
	size_t random = 0, zero = 0;

	for (uint64_t i = 0; i < p->nr_samples; i++) {
		const struct dusk_sample *s = &p->samples[i];
		bool from_random = is_random(p, s->node), from_zero = is_zero(p, s->node);
		char *sentence;

		if (!live_is_of(p, s, pid) || from_random == from_zero || live_class(p, s) == DUSK_NO_STACK)
			continue;
		sentence = whole(p, s);
		if (strcmp(sentence, from_random ? "main on_random fill read" : "main on_zero fill read"))
			fail_msg("the stack of another call: %s", sentence);
		random += from_random;
		zero += from_zero;
		free(sentence);
	}
	print_message("%zu samples of one caller, %zu of the other\n", random, zero);
	assert_true(random > 20);
	assert_true(zero > 20);
}

static void equal_registers_do_not_make_equal_stacks(void **state)
{
	pid_t pid = START(live_victim("twins")), busy = START(live_victim("recurse"), "10");
	const char *file = live_file("twins.dusk");

	assert_int_equal(RECORD(file, "-F", "9999", "-d", "1500ms", "-p", text_of(pid)), 0);
	live_end(pid);
	live_end(busy);
	_cleanup_profile_ p = live_read(file);
	check_twins(p, pid);
}

static void what_is_lost_never_leads_to_another_stack(void **state)
{
	pid_t pid = START(live_victim("twins")), busy = START(live_victim("recurse"), "10"), recorder;
	const char *file = live_file("twins.dusk");

	recorder = START_RECORD(file, "-a", "-F", "20000", "-d", "4s"); /* asked to end, it would not name all */
	kill(recorder, SIGSTOP);					/* the ring buffer fills up */
	live_sleep_ms(3000);
	kill(recorder, SIGCONT);
	assert_int_equal(live_wait(recorder, 120), 0);
	live_end(pid);
	live_end(busy);
	_cleanup_profile_ p = live_read(file);
	print_message("%llu samples and %llu stacks lost\n", (unsigned long long)live_counter(p, "lost-samples"),
		      (unsigned long long)live_counter(p, "lost-stacks"));
	assert_true(live_counter(p, "lost-samples") + live_counter(p, "lost-stacks") > 0);
	check_twins(p, pid);
}

static void a_softirq_may_ask(void **state)
{
	pid_t pid = START(live_victim("datagrams"));
	const char *file = live_file("softirq.dusk");
	size_t inside = 0;

	assert_int_equal(RECORD(file, "-F", "4999", "-d", "1s", "-p", text_of(pid)), 0);
	live_end(pid);
	_cleanup_profile_ p = live_read(file);

	for (uint64_t i = 0; i < p->nr_samples; i++) {
		const struct dusk_sample *s = &p->samples[i];
		char *sentence;

		if (!live_kernel_has(p, s->node, "net_rx_action") || is_due(p, s))
			continue;
		sentence = whole(p, s);
		if (!live_matches(sentence, "^main talk (send|__send)$"))
			fail_msg("not the sender's stack: %s", sentence);
		free(sentence);
		inside++;
	}
	print_message("%zu samples in softirqs\n", inside);
	assert_true(inside > 20);
}

/* Several tasks whose walks sleep for pages, on one CPU: each has its own depth. */
static void walks_that_sleep_do_not_mix(void **state)
{
	static const char *const depths[EVICTORS] = {"20", "40", "60"};
	const char *file = live_file("sleep.dusk");
	size_t during = 0, right[EVICTORS] = {0};
	pid_t pid[EVICTORS];
	char name[16], expected[64];

	for (int i = 0; i < EVICTORS; i++) {
		snprintf(name, sizeof(name), "stack%d", i);
		pid[i] = START("taskset", "-c", "0", live_victim("evicted"), live_file(name), depths[i]);
	}
	assert_int_equal(RECORD(file, "-F", "4999", "-d", "2s", "-a"), 0);
	for (int i = 0; i < EVICTORS; i++)
		live_end(pid[i]);
	_cleanup_profile_ p = live_read(file);

	for (uint64_t n = 0; n < p->nr_samples; n++) {
		const struct dusk_sample *s = &p->samples[n];

		for (int i = 0; i < EVICTORS; i++) {
			char *sentence, *enter;

			if (!live_is_of(p, s, pid[i]) || is_due(p, s))
				continue;
			sentence = whole(p, s);
			enter = strstr(sentence, "enter ");
			snprintf(expected, sizeof(expected), "^enter recurse\\*%s work( spin| evict( \\S+)?)?$",
				 depths[i]);
			if (!enter || !live_matches(enter, expected))
				fail_msg("not the stack of the one %s deep: %s", depths[i], sentence);
			during += live_kernel_has(p, s->node, "task_work_run");
			right[i]++;
			free(sentence);
		}
	}
	print_message("%zu, %zu and %zu stacks; %zu asked for during a walk\n", right[0], right[1], right[2], during);
	assert_true(right[0] > 50 && right[1] > 50 && right[2] > 50);
	assert_true(during > 5);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_samples_of_one_call_share_one_walk),
		cmocka_unit_test(a_cookie_moves_with_its_task),
		cmocka_unit_test(equal_registers_do_not_make_equal_stacks),
		cmocka_unit_test(what_is_lost_never_leads_to_another_stack),
		cmocka_unit_test(a_softirq_may_ask),
		cmocka_unit_test(walks_that_sleep_do_not_mix),
	};

	return LIVE_MAIN(argc, argv, tests);
}
