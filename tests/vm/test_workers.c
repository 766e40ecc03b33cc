/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Threads of a process that never return to user mode: the workers of its io_uring. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "live.h"

static void workers_have_no_user_stack_and_their_program_has(void **state)
{
	static struct live_stack stack;
	const char *file = live_file("workers.dusk");
	pid_t pid = START(live_victim("uring"));
	size_t workers = 0, submits = 0;

	assert_int_equal(RECORD(file, "-a", "-F", "499", "-d", "2s"), 0);
	live_end(pid);
	_cleanup_profile_ p = live_read(file);
	for (uint64_t i = 0; i < p->nr_samples; i++) {
		const struct dusk_sample *s = &p->samples[i];
		char *sentence;

		if (!live_is_of(p, s, pid))
			continue;
		live_user_stack(p, s->node, &stack);
		if (!strncmp(p->threads[s->thread].comm, "iou-wrk", 7)) {
			assert_string_equal(live_outcome(p, s), "kernel-thread");
			assert_int_equal(stack.nr, 0);
			assert_true(s->node != 0);
			workers++;
			continue;
		}
		if (live_class(p, s) != DUSK_COMPLETE)
			fail_msg("a stack of the program itself: %s", live_outcome(p, s));
		sentence = live_sentence(&stack);
		if (!live_matches(sentence, "^main( submit( \\S+)?)?$"))
			fail_msg("not a stack of this program: %s", sentence);
		submits += live_matches(sentence, "^main submit");
		free(sentence);
	}
	print_message("%zu samples of workers, %zu of the submitting thread\n", workers, submits);
	live_check_counters(p);
	assert_true(workers > 10);
	assert_true(submits > 10);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(workers_have_no_user_stack_and_their_program_has),
	};

	return LIVE_MAIN(argc, argv, tests);
}
