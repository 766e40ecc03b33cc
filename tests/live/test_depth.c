/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Does --max-depth do what it says, and is what it cuts counted? */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "live.h"

static struct live_stack stack;

/* Record a recursion 1,000 deep. */
static struct dusk_profile *record_deep(pid_t *pid, const char *max_depth)
{
	const char *file = live_file("deep.dusk");

	*pid = START(live_victim("recurse"), "1000");
	assert_int_equal(RECORD_PROCESS(file, *pid, 1000, "-F", "499", "--max-depth", max_depth), 0);
	live_end(*pid);
	return live_read(file);
}

/* Of the 512 frames that are kept 384 are the innermost, one is the gap, and 127 are the outermost: main() is one. */
static void a_stack_deeper_than_max_depth_keeps_its_ends(void **state)
{
	pid_t pid;
	_cleanup_profile_ p = record_deep(&pid, "512");
	size_t cut = 0;

	for (uint64_t i = 0; i < p->nr_samples; i++) {
		const struct dusk_sample *s = &p->samples[i];
		char *sentence;

		if (strcmp(live_outcome(p, s), "too-deep"))
			continue;
		assert_int_equal(live_class(p, s), DUSK_CUT);
		live_user_stack(p, s->node, &stack);
		assert_int_equal(stack.nr, 512);
		sentence = live_sentence(&stack);
		if (!live_matches(sentence,
				  "^main (.* )?recurse\\*1[0-2][0-9] \\[\\.\\.\\.\\] recurse\\*38[34]( burn)?$"))
			fail_msg("not both ends: %s", sentence);
		free(sentence);
		cut++;
	}
	assert_true(cut > 50);
	assert_true(cut * 10 >= live_count(p, pid).walked * 9);
	print_message("%zu stacks without their middle\n", cut);
}

static void a_stack_within_max_depth_is_whole(void **state)
{
	pid_t pid;
	_cleanup_profile_ p = record_deep(&pid, "2048");
	struct live_tally t = live_count(p, pid);

	assert_true(t.walked > 50);
	assert_int_equal(t.complete, t.walked);
	for (uint64_t i = 0; i < p->nr_samples; i++)
		assert_string_not_equal(live_outcome(p, &p->samples[i]), "too-deep");
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stack_deeper_than_max_depth_keeps_its_ends),
		cmocka_unit_test(a_stack_within_max_depth_is_whole),
	};

	return LIVE_MAIN(argc, argv, tests);
}
