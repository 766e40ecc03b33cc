/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Programs that may sleep walk the stack themselves: is it complete, which other consumers get it, and where is it refused? */
#include <dusk/stackmap.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "asker.h"
#include "victim.h"

static struct asker tool;

static int close_tool(void **state)
{
	asker_close(&tool);
	return 0;
}

/* Ask by @kind about @pid, or skip, if this kernel has no such programs. */
static void attach_or_skip(struct victim *v, enum probe_kind kind, uint32_t others)
{
	int ret = try_open(&tool, KIND(kind) | others, NULL);

	if (!ret) {
		asker_init(&tool, 0, DUSK_DELIVER_RING);
		ret = try_attach(&tool, kind, v->pid, 1);
	}
	if (!ret)
		return;
	print_message("the kernel does not load or attach it: %s\n", ret == -EPERM ? tool.error.text : strerror(-ret));
	victim_end(v);
	skip();
}

static const char *stack_of_tally(struct probe_answers *ret)
{
	*ret = asker_tally(&tool, 0);
	assert_true(ret->stack);
	return asker_sentence(&tool, ret->stack);
}

static uint64_t all_references(void)
{
	struct dusk_stackmap *map;
	struct dusk_stack stack;
	uint64_t cursor = 0, sum = 0;

	assert_int_equal(dusk_stackmap_of(&map, tool.unwinder), 0);
	while (dusk_stackmap_next(map, &cursor, &stack))
		sum += stack.refs;
	dusk_stackmap_close(map);
	return sum;
}

static void a_program_that_may_sleep_has_the_whole_stack_at_once(void **state)
{
	struct victim v = victim_start("getppid");
	struct probe_answers a;

	attach_or_skip(&v, BY_NOW, 0);
	asker_poll_busy(&tool, BY_NOW);
	asker_silence(&tool);
	asker_poll(&tool, 100);
	assert_string_equal(stack_of_tally(&a), "leaf inner middle outer main");
	assert_int_equal(dusk_outcome(a.outcome)->kind, DUSK_COMPLETE);
	assert_int_equal(a.refused + a.queued + a.pending, 0);
	assert_int_equal(asker_counter(&tool, "walked-now"), a.executed);
	assert_int_equal(asker_counter(&tool, "walks"), a.executed);
	assert_int_equal(asker_counter(&tool, "unasked"), a.executed);
	assert_int_equal(tool.got.nr, 0); /* what it got at once it does not get again */
	victim_end(&v);
}

/* Where the kernel preempts: in the guest. */
static void tasks_that_preempt_each_other_in_a_walk_at_once_keep_their_variables(void **state)
{
	struct victim v = victim_start("threads");

	attach_or_skip(&v, BY_NOW, 0);
	asker_poll(&tool, 5000);
	asker_silence(&tool);
	print_message("%llu runs, %llu of them mixed\n", tool.control->runs[BY_NOW], tool.control->mixed);
	assert_true(tool.control->runs[BY_NOW] > 1000);
	assert_int_equal(tool.control->mixed, 0);
	victim_end(&v);
}

static void the_second_walk_at_once_in_a_visit_is_the_first_ones_answer(void **state)
{
	struct victim v = victim_start("read");
	struct probe_answers a;

	victim_wait_asleep(&v, v.pid);
	attach_or_skip(&v, BY_NOW, 0);
	asker_attach(&tool, BY_NOW, v.pid, 1); /* the same program once more */
	victim_feed(&v, 50);
	victim_wait_fed(&v);
	asker_silence(&tool);
	assert_string_equal(stack_of_tally(&a), "leaf inner middle outer main");
	assert_true(a.executed >= 50);
	print_message("%u asked, %lu walked\n", a.executed, asker_counter(&tool, "walked-now"));
	assert_int_equal(asker_counter(&tool, "walked-now") + asker_counter(&tool, "afterwards"), a.executed);
	if (asker_knows_visits())
		assert_int_equal(asker_counter(&tool, "walked-now"), a.executed / 2);
	assert_int_equal(all_references(), a.executed);
	victim_end(&v);
}

/* Two programs at one place, in whatever order the kernel runs them. */
static void consumers_that_wait_get_the_stack_that_was_walked_at_once(void **state)
{
	struct victim v = victim_start("read");
	struct probe_answers a;
	uint64_t runs;

	victim_wait_asleep(&v, v.pid);
	attach_or_skip(&v, BY_NOW, KIND(BY_UPROBE));
	asker_attach(&tool, BY_UPROBE, v.pid, 1);
	victim_feed(&v, 100);
	victim_wait_fed(&v);
	asker_silence(&tool);
	assert_string_equal(stack_of_tally(&a), "leaf inner middle outer main");
	runs = tool.control->runs[BY_NOW];
	print_message("%lu visits, %u executed, %u queued\n", runs, a.executed, a.queued);
	assert_true(runs > 50);
	assert_int_equal(tool.control->runs[BY_UPROBE], runs);
	assert_int_equal(a.executed + a.queued, 2 * runs);
	assert_int_equal(asker_counter(&tool, "walks"), runs);
	assert_int_equal(all_references(), 2 * runs);
	asker_expect(&tool, 1, 0);
	victim_end(&v);
}

/* Page out what is mapped of the victim's own file: its unwind tables come from the disk again. */
static void page_out_file(const struct victim *v)
{
	_cleanup_(closep) int pidfd = syscall(SYS_pidfd_open, v->pid, 0);
	char path[64], line[512];
	_cleanup_(fclosep) FILE *f = NULL;
	unsigned long start, end;

	snprintf(path, sizeof(path), "/proc/%d/maps", v->pid);
	f = fopen(path, "re");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		struct iovec part;

		if (!strstr(line, victim_path()) || sscanf(line, "%lx-%lx", &start, &end) != 2)
			continue;
		part = (struct iovec){(void *)start, end - start};
		if (syscall(SYS_process_madvise, pidfd, &part, 1UL, MADV_PAGEOUT, 0) < 0)
			fail_msg("process_madvise: %s", strerror(errno));
	}
}

static void a_walk_at_once_waits_for_pages_that_are_safe_to_wait_for(void **state)
{
	struct victim v = victim_start("read");
	struct probe_answers a;

	victim_wait_asleep(&v, v.pid);
	attach_or_skip(&v, BY_NOW, 0);
	page_out_file(&v);
	victim_feed(&v, 2);
	victim_wait_fed(&v);
	asker_silence(&tool);
	assert_string_equal(stack_of_tally(&a), "leaf inner middle outer main");
	print_message("%lu pages faulted in\n", asker_counter(&tool, "faults"));
	assert_true(asker_counter(&tool, "faults") > 0);
	victim_end(&v);
}

static void who_runs_a_program_by_a_system_call_is_walked_itself(void **state)
{
	struct probe_answers a;

	asker_open(&tool, KIND(BY_NOW_SYSCALL), NULL);
	asker_attach(&tool, BY_NOW_SYSCALL, getpid(), 1);
	assert_int_equal(asker_run(&tool, BY_NOW_SYSCALL), 0);
	if (!strstr(stack_of_tally(&a), "who_runs_a_program_by_a_system_call_is_walked_itself"))
		fail_msg("%s", asker_sentence(&tool, a.stack));
	assert_int_equal(dusk_outcome(a.outcome)->kind, DUSK_COMPLETE);
}

/* The task's memory is the new program's there, and its registers are the old one's. */
static void no_stack_is_walked_while_execve_exchanges_the_program(void **state)
{
	struct victim v = victim_start("exec");
	struct probe_answers a;

	victim_wait_asleep(&v, v.pid);
	attach_or_skip(&v, BY_NOW_EXEC, 0);
	victim_feed(&v, 1);
	victim_wait_fed(&v);
	a = asker_tally(&tool, 0);
	assert_int_equal(tool.control->runs[BY_NOW_EXEC], 1);
	assert_int_equal(a.refused, 1);
	assert_int_equal(a.error, -EAGAIN);
	assert_int_equal(asker_counter(&tool, "refused-now"), 1);
	victim_end(&v);
}

#define with_tool(f) cmocka_unit_test_teardown(f, close_tool)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		with_tool(a_program_that_may_sleep_has_the_whole_stack_at_once),
		with_tool(tasks_that_preempt_each_other_in_a_walk_at_once_keep_their_variables),
		with_tool(the_second_walk_at_once_in_a_visit_is_the_first_ones_answer),
		with_tool(consumers_that_wait_get_the_stack_that_was_walked_at_once),
		with_tool(a_walk_at_once_waits_for_pages_that_are_safe_to_wait_for),
		with_tool(who_runs_a_program_by_a_system_call_is_walked_itself),
		with_tool(no_stack_is_walked_while_execve_exchanges_the_program),
	};

	return ASKER_MAIN(argc, argv, tests);
}
