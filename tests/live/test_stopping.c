/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tools that are stopped, killed or asked to end at any moment, their start and their end included: is the one beside
 * them held up, does it lose a stack, does one that begins meanwhile come to its end, and does anything stay behind?
 *
 * STOPS in the environment is how many (20), SEED which moments; both are printed.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "live.h"

#define TOOL_MS 2500   /* within it a tool has mostly come and gone */
#define END_SECONDS 60 /* of the other tool: ten that it may wait, and what it takes to load on a busy machine */

static unsigned int seed;

/* 0 to @below - 1. */
static int any(int below)
{
	return rand_r(&seed) / (RAND_MAX + 1.0) * below;
}

static unsigned int from_environment(const char *name, unsigned int otherwise)
{
	const char *value = getenv(name);

	return value ? strtoul(value, NULL, 10) : otherwise;
}

/* One of those that share the unwinder. What it says is of no interest. */
static pid_t start_tool(int which)
{
	static const char *const commands[] = {
		"record -q -a -d 300ms -o '%s'",
		"record -q -e cpu -a -o '%s' -- true",
		"stacks --all",
		"stackmap reset",
	};
	char arguments[5000], command[10000];

	snprintf(arguments, sizeof(arguments), commands[which], live_file("other.dusk"));
	snprintf(command, sizeof(command), "exec '%s' %s >/dev/null 2>&1", live_dusk(), arguments);
	return live_start(false, (const char *const[]){"sh", "-c", command, NULL});
}

static bool has_ended_in_order(int status)
{
	return status == 0 || status == 1 || status == 128 + SIGTERM;
}

/* While it is stopped, or before: start another one. */
static void expect_others_to_work(void)
{
	int status = live_wait(start_tool(1), END_SECONDS);

	if (status != 0 && status != 1) /* 1: its file is being written by the one that is stopped */
		fail_msg("a recording beside a stopped tool ended with %d", status);
}

static void disturb(int *counts)
{
	pid_t tool = start_tool(any(4));
	int how = any(3), status;

	live_sleep_ms(any(TOOL_MS));
	kill(tool, SIGSTOP);
	live_sleep_ms(any(300));
	if (!any(8)) {
		expect_others_to_work();
		counts[3]++;
	}
	counts[how]++;
	if (how == 0) {
		kill(tool, SIGKILL);
		live_wait(tool, 10);
		return;
	}
	if (how == 1)
		kill(tool, SIGTERM);
	kill(tool, SIGCONT);
	status = live_wait(tool, how == 1 ? 20 : END_SECONDS);
	if (!has_ended_in_order(status))
		fail_msg("a tool that was stopped and went on ended with %d", status);
}

/* Nothing is lost, and all stacks are whole but for one that is due. */
static void check(const char *file)
{
	_cleanup_profile_ p = live_read(file);
	uint64_t whole = 0, due = 0;

	assert_true(p->finished);
	assert_int_equal(live_counter(p, "lost-samples"), 0);
	assert_int_equal(live_counter(p, "lost-stacks"), 0);
	assert_int_equal(live_counter(p, "lost-offcpu"), 0);
	assert_int_equal(live_outcome_samples(p, "ring-lost"), 0);
	for (uint64_t i = 0; i < p->nr_samples; i++) {
		const struct dusk_sample *s = &p->samples[i];
		char *sentence = live_sentence_at(p, s->node);

		if (!strcmp(live_outcome(p, s), "pending"))
			due++;
		else if (live_class(p, s) == DUSK_COMPLETE &&
			 live_matches(sentence, "^main( \\S+)*( compare( recurse(\\*[0-9]+)?( burn)?)?)?$"))
			whole++;
		else
			fail_msg("not a stack of this program (%s): %s", live_outcome(p, s), sentence);
		free(sentence);
	}
	print_message("%llu stacks, all whole; %llu due\n", (unsigned long long)whole, (unsigned long long)due);
	assert_true(whole > 100);
	assert_true(due <= 2);
}

static void a_tool_that_is_stopped_or_killed_at_any_moment_harms_no_other(void **state)
{
	unsigned int nr = from_environment("STOPS", 20);
	const char *file = strdup(live_file("survivor.dusk"));
	int counts[4] = {0};
	pid_t victim, survivor;
	char pid[16];

	seed = from_environment("SEED", time(NULL));
	print_message("SEED=%u STOPS=%u\n", seed, nr);
	victim = START(live_victim("recurse"), "10");
	snprintf(pid, sizeof(pid), "%d", victim);
	survivor = START_RECORD(file, "-e", "cpu,offcpu", "-F", "199", "-p", pid);
	for (unsigned int i = 0; i < nr; i++)
		disturb(counts);
	print_message("%d killed, %d asked to end, %d went on; %d others began beside a stopped one\n", counts[0],
		      counts[1], counts[2], counts[3]);
	kill(survivor, SIGINT);
	assert_int_equal(live_wait(survivor, 10), 0);
	live_end(victim);
	check(file);
	assert_int_equal(access("/sys/fs/bpf/dusk", F_OK), -1);
	free((void *)file);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_tool_that_is_stopped_or_killed_at_any_moment_harms_no_other),
	};

	return LIVE_MAIN(argc, argv, tests);
}
