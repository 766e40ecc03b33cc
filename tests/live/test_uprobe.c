/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The instruction under a uprobe runs from a copy, where there is neither file nor CFI: is the stack that of the place
 * it was copied from?
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "live.h"
#include "test_arch.h"

static void a_copied_instruction_has_the_place_and_the_stack_of_the_original(void **state)
{
	const char *file = live_file("uprobe.dusk");
	size_t in_probe = 0, in_function = 0, refused = 0;
	pid_t pid;

	if (access("/sys/bus/event_source/devices/uprobe/type", R_OK)) {
		print_message("no uprobes\n");
		skip();
	}
	pid = START(live_victim("probed"));
	assert_int_equal(RECORD_PROCESS(file, pid, 1500, "-F", "4999"), 0);
	live_end(pid);
	_cleanup_profile_ p = live_read(file);

	for (uint64_t i = 0; i < p->nr_samples; i++) {
		const struct dusk_sample *s = &p->samples[i];
		char *sentence;

		if (!strcmp(live_outcome(p, s),
			    "asked-again")) { /* within one visit of the kernel, or in what may be one */
			refused++;
			continue;
		}
		sentence = live_sentence_at(p, s->node);
		if (live_class(p, s) != DUSK_COMPLETE || !live_matches(sentence, "^main outer( probed)?$"))
			fail_msg("not a stack of this program (%s): %s", live_outcome(p, s), sentence);
		in_function += !strcmp(sentence, "main outer probed");
		in_probe += live_kernel_has(p, s->node, "uprobe_notify_resume");
		free(sentence);
	}
	print_message("%zu stacks, %zu of them taken in the probe; %zu refused\n", in_function, in_probe, refused);
	assert_true(refused * 2 <= (TEST_VISITS_ARE_TOLD ? 0 : in_function));
	assert_true(in_probe > 20);
	assert_true(in_function >= in_probe);
}

/* Each call has lost its return address to the kernel. */
static void what_uretprobes_took_is_the_true_return_address(void **state)
{
	const char *file = live_file("uretprobe.dusk");
	size_t whole = 0, cut = 0;
	pid_t pid;

	if (access("/sys/bus/event_source/devices/uprobe/type", R_OK)) {
		print_message("no uprobes\n");
		skip();
	}
	pid = START(live_victim("probed"), "returns");
	assert_int_equal(RECORD_PROCESS(file, pid, 1000, "-F", "999"), 0);
	live_end(pid);
	_cleanup_profile_ p = live_read(file);

	for (uint64_t i = 0; i < p->nr_samples; i++) {
		const struct dusk_sample *s = &p->samples[i];
		char *sentence;

		if (!strcmp(live_outcome(p, s), "asked-again"))
			continue;
		if (!strcmp(live_outcome(p, s), "uretprobe")) { /* in the kernel's code that returns for the function */
			cut++;
			continue;
		}
		sentence = live_sentence_at(p, s->node);
		if (live_class(p, s) != DUSK_COMPLETE ||
		    !live_matches(sentence, "^main( recurse([*][234])?)?( burn)?$"))
			fail_msg("not a stack of this program (%s): %s", live_outcome(p, s), sentence);
		whole += !strcmp(sentence, "main recurse*4 burn");
		free(sentence);
	}
	print_message("%zu of %zu in burn(), %zu cut\n", whole, (size_t)p->nr_samples, cut);
	assert_true(cut * 20 <= p->nr_samples);
	assert_true(whole * 2 > p->nr_samples);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_copied_instruction_has_the_place_and_the_stack_of_the_original),
		cmocka_unit_test(what_uretprobes_took_is_the_true_return_address),
	};

	return LIVE_MAIN(argc, argv, tests);
}
