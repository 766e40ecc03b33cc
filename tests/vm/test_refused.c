/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What if the kernel takes no task work? Without the CPU's cmpxchg16b it cannot allocate any (mm/slub.c,
 * kmalloc_nolock()), so every request is refused.
 */
#include "live.h"

static void every_refused_stack_is_reported(void **state)
{
	const char *file = live_file("refused.dusk");
	pid_t pid = START(live_victim("recurse"), "10");
	struct live_tally tally;

	assert_int_equal(RECORD(file, "-a", "-F", "199", "-d", "1s"), 0);
	live_end(pid);
	_cleanup_profile_ p = live_read(file);
	live_check_counters(p);
	tally = live_count(p, pid);
	print_message("%llu samples, %llu stacks\n", (unsigned long long)tally.samples,
		      (unsigned long long)tally.walked);
	assert_true(tally.samples > 10);
	assert_int_equal(tally.walked, 0);
	assert_int_equal(live_counter(p, "walks"), 0);
	assert_true(live_counter(p, "refused-schedule") >= tally.samples);
	assert_int_equal(live_counter(p, "refused-schedule"), live_outcome_samples(p, "not-scheduled"));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_refused_stack_is_reported),
	};

	return LIVE_MAIN(argc, argv, tests);
}
