/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * execve() replaces the program between the request for a stack and the walk. A sample that was taken in execve() may
 * have the old program's stack, or none; never that of the new one, which has done nothing yet.
 */
#include <stdlib.h>
#include <string.h>
#include "live.h"
#include "test_arch.h"

static struct live_stack stack;

static bool is_in_execve(const struct dusk_profile *p, uint32_t node)
{
	return live_kernel_has(p, node, TEST_SYS "execve");
}

static void no_sample_of_execve_has_the_new_programs_stack(void **state)
{
	const char *file = live_file("exec.dusk");
	size_t in_execve = 0, old = 0, none = 0;
	pid_t recorder = live_spawn_record(file, (const char *const[]){"-F", "9999", "-d", "3s", "--", "timeout", "2",
								       live_victim("execs"), "100000", NULL});

	live_wait(recorder, 60);
	_cleanup_profile_ p = live_read(file);

	for (uint64_t i = 0; i < p->nr_samples; i++) {
		const struct dusk_sample *s = &p->samples[i];
		char *sentence;

		if (strcmp(p->threads[s->thread].comm, "execs") || !is_in_execve(p, s->node))
			continue;
		in_execve++;
		live_user_stack(p, s->node, &stack);
		if (!stack.nr) {
			none++;
			continue;
		}
		sentence = live_sentence(&stack);
		if (!live_matches(sentence,
				  live_class(p, s) == DUSK_COMPLETE ? "^main( \\S+)* execve$" : "(^| )(execve|\\?)$"))
			fail_msg("not the stack of the program that called execve(): %s", sentence);
		free(sentence);
		old++;
	}
	print_message("%zu samples in execve: %zu with the old program's stack, %zu without\n", in_execve, old, none);
	assert_true(old > 20);
}

/*
 * What execve() or an exit is about to give up is walked without faulting: it may be cut at a page that is not there.
 */
static bool may_be_cut(const struct dusk_profile *p, const struct dusk_sample *s, const char *sentence)
{
	if (!strcmp(live_outcome(p, s), "page-not-safe"))
		return is_in_execve(p, s->node) || live_kernel_has(p, s->node, "do_exit") ||
		       live_matches(sentence, "(^| )execve$");
	return live_matches(sentence, "(_init|_fini|frame_dummy|__do_global_dtors_aux|(de)?register_tm_clones)$");
}

static void every_other_stack_of_an_exec_loop_is_whole(void **state)
{
	const char *file = live_file("exec.dusk");
	_cleanup_profile_ p = live_read(file);

	for (uint64_t i = 0; i < p->nr_samples; i++) {
		const struct dusk_sample *s = &p->samples[i];
		enum dusk_outcome_class class = live_class(p, s);
		const char *outcome = live_outcome(p, s);
		char *sentence;

		if (class == DUSK_NO_STACK && strcmp(outcome, "exec") && strcmp(outcome, "pending"))
			fail_msg("a stack was lost: %s", outcome);
		if (class != DUSK_CUT)
			continue;
		live_user_stack(p, s->node, &stack);
		sentence = live_sentence(&stack);
		if (!may_be_cut(p, s, sentence))
			fail_msg("incomplete (%s): %s, in %s of %s", outcome, sentence, stack.frame[0].path,
				 p->threads[s->thread].comm);
		free(sentence);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_sample_of_execve_has_the_new_programs_stack),
		cmocka_unit_test(every_other_stack_of_an_exec_loop_is_whole),
	};

	return LIVE_MAIN(argc, argv, tests);
}
