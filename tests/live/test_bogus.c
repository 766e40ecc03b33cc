/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Programs without a stack to walk: registers that lead nowhere, into the kernel or in a circle, memory that comes and
 * goes. Each sample says why it has no whole stack; what frames it has are true; the program runs on.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "live.h"

static struct dusk_profile *record(pid_t pid, int ms)
{
	const char *file = live_file("bogus.dusk");

	assert_int_equal(RECORD_PROCESS(file, pid, ms, "-F", "999"), 0);
	return live_read(file);
}

/* Each stack of the victim ends with one of @outcomes, and its sentence matches @pattern. */
static void check(const char *what, const char *value, const char *outcomes, const char *pattern)
{
	pid_t pid = START(live_victim("bogus"), what, value);
	size_t walked = 0;

	live_wait_cpu(pid, 20); /* until it is where it stays */
	_cleanup_profile_ p = record(pid, 300);

	assert_int_equal(kill(pid, 0), 0);
	live_end(pid);
	for (uint64_t i = 0; i < p->nr_samples; i++) {
		const struct dusk_sample *s = &p->samples[i];
		char *sentence;

		if (!strcmp(live_outcome(p, s), "pending"))
			continue;
		sentence = live_sentence_at(p, s->node);
		if (!live_matches(live_outcome(p, s), outcomes) || !live_matches(sentence, pattern))
			fail_msg("%s %s: %s: %s", what, value, live_outcome(p, s), sentence);
		free(sentence);
		walked++;
	}
	print_message("%-8s %-18s %3zu stacks: %s\n", what, value, walked, outcomes);
	assert_true(walked > 20);
}

static void a_stack_pointer_that_leads_nowhere_gives_one_frame_and_the_reason(void **state)
{
	check("sp", "0", "stack-unreadable", "^sp$");
	check("sp", "0x8000000000001000", "stack-unreadable", "^sp$"); /* non-canonical */
	check("sp", "0xfffffffffffffff8", "stack-unreadable", "^sp$"); /* and the CFA is 0 */
	check("sp", "0xffffffffffffffff", "misaligned", "^sp$");
}

static void a_frame_pointer_that_leads_nowhere_gives_one_frame_and_the_reason(void **state)
{
	check("bp", "0", "stack-unreadable", "^bp$");
	check("bp", "0x8000000000001008", "stack-unreadable", "^bp$");
	check("bp", "0xffffffffffffffff", "misaligned", "^bp$");
}

/* Something of the kernel's that can be read at any time. */
static uint64_t kernel_address(void)
{
	FILE *f = fopen("/proc/kallsyms", "r");
	uint64_t addr, found = 0;
	char name[128];

	assert_non_null(f);
	while (!found && fscanf(f, "%" SCNx64 " %*c %127s%*[^\n]", &addr, name) == 2)
		if (!strcmp(name, "_stext"))
			found = addr;
	fclose(f);
	return found;
}

static void the_kernels_memory_is_nobodys_stack(void **state)
{
	uint64_t addr = kernel_address();
	char value[32];

	if (!addr) {
		print_message("kernel addresses are hidden\n");
		skip();
	}
	snprintf(value, sizeof(value), "0x%" PRIx64, addr);
	check("sp", value, "stack-unreadable", "^sp$");
	snprintf(value, sizeof(value), "0x%" PRIx64, addr - 8);
	check("bp", value, "stack-unreadable", "^bp$");
}

static void a_stack_pointer_that_is_a_little_off_invents_no_function(void **state)
{
	check("odd", "1", "misaligned", "^odd$");
	check("odd", "4", "misaligned", "^odd$");
}

static void a_frame_pointer_that_leads_to_itself_is_not_followed_for_ever(void **state)
{
	check("chain", "0", "no-fde", "^chain(\\*2)?$");
}

static void a_stack_that_is_gone_leaves_the_frames_that_are_there(void **state)
{
	check("unmapped", "1", "stack-unreadable", "^recurse(\\*[1-5])? unmapped$");
	check("unmapped", "4", "stack-unreadable", "^recurse(\\*1?[0-9])? unmapped$");
}

/* A walk that the memory leaves may have come as far as what enter() returns to, which has no symbol. */
#define ANY_CUT "^(((\\? )?enter recurse\\*60|recurse(\\*[0-9]+)?) )?work$"

/* Count the stacks of one recording. */
static void record_moving(size_t *complete, size_t *cut)
{
	pid_t pid = START(live_victim("moving"));
	_cleanup_profile_ p = record(pid, 1500);

	assert_int_equal(kill(pid, 0), 0);
	live_end(pid);
	for (uint64_t i = 0; i < p->nr_samples; i++) {
		const struct dusk_sample *s = &p->samples[i];
		bool is_whole = live_class(p, s) == DUSK_COMPLETE;
		char *sentence;

		if (!strcmp(p->threads[s->thread].comm, "mover") || live_class(p, s) == DUSK_NO_STACK)
			continue;
		sentence = live_sentence_at(p, s->node);
		if (!live_matches(sentence, is_whole ? "(^| )enter recurse\\*60 work$" : ANY_CUT))
			fail_msg("not the stack of this program (%s): %s", live_outcome(p, s), sentence);
		*complete += is_whole;
		*cut += !is_whole;
		free(sentence);
	}
	print_message("%zu whole stacks, %zu that end where memory was missing\n", *complete, *cut);
}

/* If both threads share a CPU, one of the two may be rare: then other threads may not. */
static void a_stack_that_comes_and_goes_is_whole_or_says_where_it_ends(void **state)
{
	size_t complete = 0, cut = 0;

	for (int round = 0; round < 10 && (complete <= 20 || cut <= 20); round++)
		record_moving(&complete, &cut);
	assert_true(complete > 20);
	assert_true(cut > 20);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stack_pointer_that_leads_nowhere_gives_one_frame_and_the_reason),
		cmocka_unit_test(a_frame_pointer_that_leads_nowhere_gives_one_frame_and_the_reason),
		cmocka_unit_test(the_kernels_memory_is_nobodys_stack),
		cmocka_unit_test(a_stack_pointer_that_is_a_little_off_invents_no_function),
		cmocka_unit_test(a_frame_pointer_that_leads_to_itself_is_not_followed_for_ever),
		cmocka_unit_test(a_stack_that_is_gone_leaves_the_frames_that_are_there),
		cmocka_unit_test(a_stack_that_comes_and_goes_is_whole_or_says_where_it_ends),
	};

	return LIVE_MAIN(argc, argv, tests);
}
