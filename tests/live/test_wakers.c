/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Is the waker of a thread known, with both of its stacks, and the waker of that one? */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "live.h"
#include "test_arch.h"

#define ROUNDS "200"
#define MOST 180 /* of these: of an off-CPU interval that was summed up, or had just begun, there is no waker */

static struct live_stack stack;

/* Is there @function in the user part of the stack of @node? */
static bool user_has(const struct dusk_profile *p, uint32_t node, const char *function)
{
	live_user_stack(p, node, &stack);
	for (size_t i = 0; i < stack.nr; i++)
		if (stack.frame[i].name && !strcmp(stack.frame[i].name, function))
			return true;
	return false;
}

static bool begins_as_thread(void)
{
	const struct live_frame *outermost = &stack.frame[stack.nr - 1];

	return stack.nr && strstr(outermost->path, "/libc.so") && outermost->name &&
	       live_matches(outermost->name, TEST_THREAD_START);
}

/*
 * Of off-CPU intervals in @function: none was ended by any other than @waker, in @wakes below it. Returns how many are
 * known.
 */
static uint64_t woken_by(const struct dusk_profile *p, const char *function, const char *waker, const char *wakes)
{
	uint64_t known = 0;

	for (uint64_t i = 0; i < p->nr_samples; i++) {
		const struct dusk_sample *s = &p->samples[i];
		const struct dusk_waker *by = &p->wakers[s->waker];

		if (!s->waker || !user_has(p, s->node, function))
			continue;
		assert_int_equal(s->count, 1);
		assert_true(live_kernel_has(p, by->node, "try_to_wake_up"));
		assert_int_equal(by->kind, DUSK_WAKER_TASK);
		assert_string_equal(p->threads[by->thread].comm, waker);
		assert_int_equal(p->outcomes[by->outcome].kind, DUSK_COMPLETE);
		assert_true(user_has(p, by->node, wakes));
		if (!begins_as_thread())
			fail_msg("not from where threads begin, in %s: %s", stack.frame[stack.nr - 1].path,
				 live_sentence(&stack));
		known++;
	}
	print_message("%s: %" PRIu64 " off-CPU intervals were ended in %s\n", function, known, wakes);
	return known;
}

/* Of off-CPU intervals in @function: how many were ended by an interrupt? By others none. */
static uint64_t woken_by_interrupt(const struct dusk_profile *p, const char *function)
{
	uint64_t known = 0;

	for (uint64_t i = 0; i < p->nr_samples; i++) {
		const struct dusk_waker *by = &p->wakers[p->samples[i].waker];

		if (!by->kind || !user_has(p, p->samples[i].node, function))
			continue;
		assert_int_equal(by->kind, DUSK_WAKER_INTERRUPT);
		assert_true(live_kernel_has(p, by->node, "try_to_wake_up"));
		live_user_stack(p, by->node, &stack);
		assert_int_equal(stack.nr, 0);
		known++;
	}
	print_message("%s: %" PRIu64 " off-CPU intervals were ended by interrupts\n", function, known);
	return known;
}

static void check_times(const struct dusk_profile *p)
{
	assert_int_equal(live_counter(p, "samples") + live_counter(p, "offcpu-intervals") + live_counter(p, "wakers"),
			 live_counter(p, "no-user") + live_counter(p, "requests"));
}

static void each_link_of_a_chain_is_known(void **state)
{
	const char *file = live_file("chain.dusk");

	assert_int_equal(RECORD(file, "-e", "offcpu", "--wakers", "--", live_victim("chain"), ROUNDS), 0);
	_cleanup_profile_ p = live_read(file);
	assert_true(woken_by(p, "c_waits", "b", "b_wakes_c") > MOST);
	assert_true(woken_by(p, "b_waits", "a", "a_wakes_b") > MOST);
	assert_true(woken_by_interrupt(p, "nanosleep") > MOST);
	check_times(p);
}

/* What is known at the end of a line is the nanoseconds. */
static uint64_t folded_ns(const char *file, const char *pattern)
{
	static char command[1024], line[65536];
	uint64_t ns = 0;
	FILE *f;

	snprintf(command, sizeof(command), "%s export --wakers 8 -i %s", live_dusk(), file);
	f = popen(command, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		if (live_matches(line, pattern))
			ns += strtoull(strrchr(line, ' '), NULL, 10);
	assert_int_equal(pclose(f), 0);
	return ns;
}

static void a_chain_is_shown_as_one(void **state)
{
	const char *file = live_file("shown.dusk");
	uint64_t all, chained;

	assert_int_equal(RECORD(file, "-e", "offcpu", "--wakers", "--", live_victim("chain"), ROUNDS), 0);
	all = folded_ns(file, "^c;.*;c_waits;");
	chained = folded_ns(file,
			    "^c;.*;c_waits;.*;--;.*;b_wakes_c;b_passes;[^-]*;b;--;.*;a_wakes_b;a_begins;[^-]*;a;--;.*;"
			    "\\[interrupt\\] ");
	print_message("c waited for %.3f s, of that %.3f s for b, for a, for a timer\n", all / 1e9, chained / 1e9);
	assert_true(all > 0);
	assert_true(chained > all * 0.9);
}

static void a_softirq_that_a_sender_runs_is_its_own(void **state)
{
	const char *file = live_file("loopback.dusk");

	assert_int_equal(RECORD(file, "-e", "offcpu", "--wakers", "--", live_victim("loopback"), ROUNDS), 0);
	_cleanup_profile_ p = live_read(file);
	assert_true(woken_by(p, "receives", "sender", "sends") > MOST);
	assert_true(woken_by_interrupt(p, "nanosleep") > MOST);
	check_times(p);
}

/*
 * No time is lost, and no off-CPU interval has the waker of another: those that are too short to have a stack of their own have none.
 */
static void short_intervals_have_no_wakers(void **state)
{
	const char *file = live_file("short.dusk");

	assert_int_equal(
		RECORD(file, "-e", "offcpu", "--wakers", "--min-block", "1s", "--", live_victim("chain"), ROUNDS), 0);
	_cleanup_profile_ p = live_read(file);
	for (uint64_t i = 0; i < p->nr_samples; i++)
		if (p->samples[i].value_ns < 1000000000)
			assert_int_equal(p->samples[i].waker, 0);
	check_times(p);
}

static void without_wakers_none_are_recorded(void **state)
{
	const char *file = live_file("without.dusk");

	assert_int_equal(RECORD(file, "-e", "offcpu", "--", live_victim("chain"), ROUNDS), 0);
	_cleanup_profile_ p = live_read(file);
	assert_int_equal(p->nr_wakers, 1);
	assert_int_equal(live_counter(p, "wakers"), 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_link_of_a_chain_is_known),
		cmocka_unit_test(a_chain_is_shown_as_one),
		cmocka_unit_test(a_softirq_that_a_sender_runs_is_its_own),
		cmocka_unit_test(short_intervals_have_no_wakers),
		cmocka_unit_test(without_wakers_none_are_recorded),
	};

	return LIVE_MAIN(argc, argv, tests);
}
