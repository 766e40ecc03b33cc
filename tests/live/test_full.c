/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A stackmap that is full, and that nothing empties, as a tool that is stopped does not let its tables go: does each
 * off-CPU interval still have its stack, whether it is kept on its own or summed up?
 *
 * In a mount namespace with a bpffs of its own, so that the stackmap is this test's alone.
 */
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include "intervals.h"

#define CALLS 16      /* of even and odd, a bit each */
#define PATHS "14000" /* four tables of the smallest size have room for 12,000 */
#define TIMES "2"

static struct live_stack stack;

/* Which path is the stack of @node? -1: none, or not all of it. */
static int path_of(const struct dusk_profile *p, uint32_t node)
{
	int path = 0;

	live_user_stack(p, node, &stack);
	if (stack.nr < CALLS + 2 || !stack.frame[CALLS].name || strcmp(stack.frame[CALLS].name, "visit"))
		return -1;
	for (int i = 0; i < CALLS; i++) {
		const char *name = stack.frame[i].name;

		if (!name || (strcmp(name, "odd") && strcmp(name, "even")))
			return -1;
		path = path << 1 | !strcmp(name, "odd");
	}
	return path;
}

/* How often was each path slept in? To be freed. */
static uint32_t *naps_of(const struct dusk_profile *p)
{
	uint32_t *naps = calloc(1 << CALLS, sizeof(*naps));

	assert_non_null(naps);
	for (uint64_t i = 0; i < p->nr_samples; i++) {
		const struct dusk_sample *s = &p->samples[i];
		int path;

		if (!live_kernel_has(p, s->node, "hrtimer_nanosleep"))
			continue;
		path = path_of(p, s->node);
		if (path < 0)
			fail_msg("an off-CPU interval without its stack: %s", live_outcome(p, s));
		if (s->state == 1)
			naps[path] += s->count;
	}
	return naps;
}

static void check_paths(const struct dusk_profile *p)
{
	const uint32_t nr = atoi(PATHS), times = atoi(TIMES);
	uint32_t *naps = naps_of(p), paths = 0;
	uint64_t all = 0;

	for (uint32_t path = 0; path < 1 << CALLS; path++) {
		assert_true(path < nr || !naps[path]);
		paths += naps[path] != 0;
		all += naps[path];
	}
	free(naps);
	print_message("%u stacks, %" PRIu64 " times; %" PRIu64 " stacks were sent inline\n", paths, all,
		      live_counter(p, "stacks-inline"));
	assert_int_equal(paths, nr);
	/* A timer may be over before it is waited for. */
	assert_true(all <= nr * times && all >= nr * times - nr / 100);
}

/* A recording of a victim that naps, while another tool is stopped. */
static struct dusk_profile *record_full(const char *min_block, const char *more)
{
	const char *file = live_file("full.dusk"), *other = live_file("other.dusk");
	pid_t burner = START(live_victim("recurse"), "10"), stopped;
	char pid[16];
	int status;

	snprintf(pid, sizeof(pid), "%d", burner);
	stopped = START_RECORD(other, "-F", "99", "-p", pid, "--stackmap-bits", "10");
	kill(stopped, SIGSTOP);
	status = RECORD(file, "-e", "cpu,offcpu", "-F", "999", "--min-block", min_block, more, "--",
			live_victim("paths"), "naps", PATHS, TIMES);
	kill(stopped, SIGCONT);
	assert_int_equal(live_stop_record(stopped), 0);
	live_end(burner);
	assert_int_equal(status, 0);
	return live_read(file);
}

/* The last stack of a task is walked before a request: it could be sent to no consumer. */
static uint64_t full_at_its_end(const struct dusk_profile *p)
{
	uint64_t nr = 0;

	for (uint64_t i = 0; i < p->nr_samples; i++)
		nr += live_kernel_has(p, p->samples[i].node, "do_exit") &&
		      !strcmp(live_outcome(p, &p->samples[i]), "stackmap-full");
	return nr;
}

static void check_full(const struct dusk_profile *p)
{
	assert_true(live_counter(p, "stacks-inline") > 1000);
	assert_int_equal(live_counter(p, "lost-stacks"), 0);
	assert_int_equal(live_counter(p, "lost-offcpu"), 0);
	assert_int_equal(live_outcome_samples(p, "stackmap-full"), full_at_its_end(p));
	assert_int_equal(live_outcome_samples(p, "ring-lost"), 0);
	check_paths(p);
	check_conservation(p);
	assert_int_equal(live_counter(p, "samples") + live_counter(p, "offcpu-intervals") + live_counter(p, "wakers"),
			 live_counter(p, "no-user") + live_counter(p, "requests"));
}

static void sums_whose_stacks_do_not_fit_have_them(void **state)
{
	_cleanup_profile_ p = record_full("10s", "--quiet");

	check_full(p);
}

static void intervals_whose_stacks_do_not_fit_have_them(void **state)
{
	_cleanup_profile_ p = record_full("0", "--quiet");

	check_full(p);
}

static void wakers_whose_stacks_do_not_fit_have_them(void **state)
{
	_cleanup_profile_ p = record_full("0", "--wakers");
	uint64_t known = 0;

	check_full(p);
	for (uint32_t i = 1; i < p->nr_wakers; i++) {
		assert_true(live_kernel_has(p, p->wakers[i].node, "try_to_wake_up"));
		known++;
	}
	assert_true(known > 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_whose_stacks_do_not_fit_have_them),
		cmocka_unit_test(intervals_whose_stacks_do_not_fit_have_them),
		cmocka_unit_test(wakers_whose_stacks_do_not_fit_have_them),
	};

	if (!geteuid() && (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
			   mount("bpf", "/sys/fs/bpf", "bpf", 0, NULL)))
		return 1;
	return LIVE_MAIN(argc, argv, tests);
}
