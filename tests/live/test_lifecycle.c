/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What becomes of a stack that was asked for, if its task does not simply return to user mode: it blocks, is killed,
 * stopped or traced, makes children, or another task gets its number. And which tasks have no stack at all?
 */
#include <linux/io_uring.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "live.h"

static struct live_stack stack;

static const char *text_of(pid_t pid)
{
	static char text[16];

	snprintf(text, sizeof(text), "%d", pid);
	return text;
}

static char *sentence_of(const struct dusk_profile *p, const struct dusk_sample *s)
{
	live_user_stack(p, s->node, &stack);
	return live_sentence(&stack);
}

/* The same, of a stack that must be whole and match @pattern. */
static char *expect(const struct dusk_profile *p, const struct dusk_sample *s, const char *pattern)
{
	char *sentence = sentence_of(p, s);

	if (live_class(p, s) != DUSK_COMPLETE || !live_matches(sentence, pattern))
		fail_msg("not a stack of %s (%s): %s", p->threads[s->thread].comm, live_outcome(p, s), sentence);
	return sentence;
}

static bool is_in_write(const struct dusk_profile *p, const struct dusk_sample *s)
{
	return live_kernel_has(p, s->node, "unix_stream_sendmsg");
}

struct blocked {
	pid_t pid, recorder;
	volatile unsigned long *returned;
};

/* A "blocked" that is recorded, and waits in a system call in which samples were taken. */
static struct blocked block(const char *file)
{
	struct blocked b = {.returned = live_number(live_file("returned"))};

	b.pid = START(live_victim("blocked"), live_file("returned"));
	b.recorder = START_RECORD(file, "-F", "9999", "-p", text_of(b.pid));
	kill(b.pid, SIGUSR1);
	live_wait_state(b.pid, 'S');
	return b;
}

static void a_thread_that_blocks_at_the_end_is_pending_and_counted(void **state)
{
	const char *file = live_file("blocked.dusk");
	struct blocked b = block(file);
	uint64_t pending = 0;

	assert_int_equal(live_stop_record(b.recorder), 0);
	live_wait_state(b.pid, 'S');
	assert_int_equal(*b.returned, 0); /* asking has not woken it, and ending neither */
	live_end(b.pid);
	munmap((void *)b.returned, 4096);

	_cleanup_profile_ p = live_read(file);
	for (uint64_t i = 0; i < p->nr_samples; i++) {
		const struct dusk_sample *s = &p->samples[i];

		if (!is_in_write(p, s))
			continue;
		assert_string_equal(live_outcome(p, s), "pending");
		live_user_stack(p, s->node, &stack);
		assert_int_equal(stack.nr, 0);
		pending++;
	}
	print_message("%llu samples of the call that it blocks in\n", (unsigned long long)pending);
	assert_true(pending > 2);
	assert_true(p->finished);
	assert_int_equal(p->nr_samples, live_counter(p, "samples") - live_counter(p, "lost-samples"));
}

static void a_task_that_is_killed_while_it_blocks_has_its_stack(void **state)
{
	const char *file = live_file("killed.dusk");
	struct blocked b = block(file);
	uint64_t walked = 0;

	live_end(b.pid);
	assert_int_equal(live_wait(b.recorder, 30), 0); /* nobody is left to record */
	munmap((void *)b.returned, 4096);
	_cleanup_profile_ p = live_read(file);

	for (uint64_t i = 0; i < p->nr_samples; i++) {
		if (!is_in_write(p, &p->samples[i]))
			continue;
		free(expect(p, &p->samples[i], "^main block (write|__write)$"));
		walked++;
	}
	print_message("%llu samples of the call in which it was killed, all with its stack\n",
		      (unsigned long long)walked);
	assert_true(walked > 2);
}

/* All stacks are whole. Only what is asked for in the stop itself has to wait for its end. */
static void check_talk(const struct dusk_profile *p)
{
	size_t nr = 0;

	for (uint64_t i = 0; i < p->nr_samples; i++) {
		const struct dusk_sample *s = &p->samples[i];

		if (!strcmp(live_outcome(p, s), "pending") && live_kernel_has(p, s->node, "get_signal"))
			continue;
		free(expect(p, s, "^main( talk( \\S+)?)?$"));
		nr++;
	}
	print_message("%zu stacks, all whole\n", nr);
	assert_true(nr > 50);
	assert_int_equal(p->nr_samples, live_counter(p, "samples") - live_counter(p, "lost-samples"));
}

static void a_task_that_is_stopped_has_its_stack(void **state)
{
	pid_t pid = START(live_victim("datagrams")), recorder;
	const char *file = live_file("stopped.dusk");

	recorder = START_RECORD(file, "-F", "4999", "-p", text_of(pid));
	for (int i = 0; i < 100; i++) {
		kill(pid, SIGCONT);
		live_sleep_ms(5);
		kill(pid, SIGSTOP);
		live_sleep_ms(1);
	}
	live_wait_state(pid, 'T');
	assert_int_equal(live_stop_record(recorder), 0);
	live_end(pid);
	_cleanup_profile_ p = live_read(file);
	check_talk(p);
}

/* Stops at each system call, before it and behind it. */
static void a_task_that_is_traced_is_recorded_like_others(void **state)
{
	pid_t pid = START(live_victim("datagrams")), recorder;
	const char *file = live_file("traced.dusk");
	int status;

	assert_int_equal(ptrace(PTRACE_SEIZE, pid, NULL, PTRACE_O_TRACESYSGOOD), 0);
	recorder = START_RECORD(file, "-F", "4999", "-p", text_of(pid));
	assert_int_equal(ptrace(PTRACE_INTERRUPT, pid, NULL, NULL), 0);
	for (int i = 0; i < 20000; i++) {
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFSTOPPED(status));
		assert_int_equal(ptrace(PTRACE_SYSCALL, pid, NULL, NULL), 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(ptrace(PTRACE_DETACH, pid, NULL, NULL), 0);
	live_sleep_ms(100);
	assert_int_equal(live_stop_record(recorder), 0);
	live_end(pid);
	_cleanup_profile_ p = live_read(file);
	check_talk(p);
}

/* What is there to be read at a task's end is read, no more. */
static bool is_cut_at_its_end(const struct dusk_profile *p, const struct dusk_sample *s)
{
	return !strcmp(live_outcome(p, s), "page-not-safe") && live_kernel_has(p, s->node, "do_exit");
}

static void a_child_inherits_nothing_that_is_due(void **state)
{
	pid_t pid = START(live_victim("forks"));
	const char *file = live_file("forks.dusk");
	size_t in_fork = 0, in_child = 0;

	assert_int_equal(RECORD(file, "-F", "9999", "-d", "1500ms", "-p", text_of(pid)), 0);
	live_end(pid);
	_cleanup_profile_ p = live_read(file);

	for (uint64_t i = 0; i < p->nr_samples; i++) {
		const struct dusk_sample *s = &p->samples[i];
		char *sentence = sentence_of(p, s);
		const char *outcome = live_outcome(p, s);

		if (strcmp(outcome, "exited") && strcmp(outcome, "pending") && !is_cut_at_its_end(p, s))
			assert_int_equal(live_class(p, s), DUSK_COMPLETE);
		if (live_is_of(p, s, pid) && live_kernel_has(p, s->node, "copy_process")) {
			if (live_class(p, s) == DUSK_COMPLETE && !live_matches(sentence, "^main make_child( \\S+)+$"))
				fail_msg("not the parent's stack: %s", sentence);
			in_fork++;
		}
		if (strstr(sentence, "in_child")) {
			assert_false(live_is_of(p, s, pid));
			assert_string_equal(sentence, "main make_child in_child");
			in_child++;
		}
		free(sentence);
	}
	print_message("%zu samples in fork(), %zu in children\n", in_fork, in_child);
	assert_true(in_fork > 20);
	assert_true(in_child > 20);
}

static void a_task_that_gets_the_id_of_another_gets_nothing_else_of_it(void **state)
{
	pid_t pid = START(live_victim("reuse")), number = 0;
	const char *file = live_file("reuse.dusk");
	size_t alpha = 0, beta = 0;

	assert_int_equal(RECORD(file, "-F", "9999", "-d", "1500ms", "-p", text_of(pid)), 0);
	live_end(pid);
	_cleanup_profile_ p = live_read(file);

	for (uint64_t i = 0; i < p->nr_samples; i++) {
		const struct dusk_sample *s = &p->samples[i];
		const struct dusk_thread *t = &p->threads[s->thread];
		bool is_alpha = !strcmp(t->comm, "alpha");

		if ((!is_alpha && strcmp(t->comm, "beta")) || live_class(p, s) == DUSK_NO_STACK ||
		    live_class(p, s) == DUSK_ABSENT)
			continue;
		free(expect(p, s, is_alpha ? "^main (child )?alpha( \\S+)*$" : "^main (child )?beta( \\S+)*$"));
		assert_true(!number || number == t->tid);
		number = t->tid;
		alpha += is_alpha;
		beta += !is_alpha;
	}
	print_message("%zu stacks of one, %zu of the other, all of number %d\n", alpha, beta, number);
	assert_true(alpha > 50);
	assert_true(beta > 50);
}

static bool has_io_uring(void)
{
	struct io_uring_params params = {0};
	int fd = syscall(SYS_io_uring_setup, 1, &params);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static void threads_of_the_kernel_have_no_user_stack(void **state)
{
	pid_t terminal = START(live_victim("workers"), "terminal"), uring = 0;
	const char *file = live_file("workers.dusk");
	size_t kworkers = 0, io_workers = 0, submitting = 0;

	if (has_io_uring())
		uring = START(live_victim("workers"), "uring");
	assert_int_equal(RECORD(file, "-F", "4999", "-d", "1500ms", "-a"), 0);
	live_end(terminal);
	if (uring)
		live_end(uring);
	_cleanup_profile_ p = live_read(file);

	for (uint64_t i = 0; i < p->nr_samples; i++) {
		const struct dusk_sample *s = &p->samples[i];
		const struct dusk_thread *t = &p->threads[s->thread];
		bool is_kworker = !strncmp(t->comm, "kworker/", 8), is_io = !strncmp(t->comm, "iou-wrk-", 8);

		assert_int_not_equal(t->tid, 0);
		if (is_kworker || is_io) {
			assert_string_equal(live_outcome(p, s), "kernel-thread");
			live_user_stack(p, s->node, &stack);
			assert_int_equal(stack.nr, 0);
		} else if (uring && live_is_of(p, s, uring) && strcmp(live_outcome(p, s), "pending")) {
			free(expect(p, s, "^main( work_by_uring)?( submit( \\S+)?)?$"));
			submitting++;
		}
		kworkers += is_kworker;
		io_workers += is_io;
	}
	print_message("%zu samples of kworkers, %zu of io_uring's, %zu of the submitting thread\n", kworkers,
		      io_workers, submitting);
	assert_true(kworkers > 0);
	assert_true(!uring || io_workers > 5);
	assert_true(!uring || submitting > 5);
}

/* The number of a child of @pid. */
static pid_t child_of(pid_t pid)
{
	char path[64];
	int child = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", pid, pid);
	f = fopen(path, "r");
	assert_non_null(f);
	assert_int_equal(fscanf(f, "%d", &child), 1);
	fclose(f);
	return child;
}

static void a_process_in_namespaces_goes_by_its_number_outside(void **state)
{
	const char *file = live_file("namespaces.dusk");
	pid_t outer, inner;

	if (system("unshare -mpf true")) {
		print_message("cannot make namespaces\n");
		skip();
	}
	outer = START("unshare", "-mpf", "--kill-child", live_victim("recurse"), "10");
	inner = child_of(outer);
	assert_int_equal(RECORD(file, "-F", "997", "-d", "700ms", "-p", text_of(inner)), 0);
	live_end(outer);
	_cleanup_profile_ p = live_read(file);
	struct live_tally t = live_count(p, inner);

	assert_true(t.walked > 50);
	assert_int_equal(t.complete, t.walked);
	assert_int_equal(t.samples, p->nr_samples);
	for (uint64_t i = 0; i < p->nr_samples; i++)
		if (live_class(p, &p->samples[i]) == DUSK_COMPLETE)
			free(expect(p, &p->samples[i], "^main( \\S+)*( compare( recurse(\\*[0-9]+)?( burn)?)?)?$"));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_thread_that_blocks_at_the_end_is_pending_and_counted),
		cmocka_unit_test(a_task_that_is_killed_while_it_blocks_has_its_stack),
		cmocka_unit_test(a_task_that_is_stopped_has_its_stack),
		cmocka_unit_test(a_task_that_is_traced_is_recorded_like_others),
		cmocka_unit_test(a_child_inherits_nothing_that_is_due),
		cmocka_unit_test(a_task_that_gets_the_id_of_another_gets_nothing_else_of_it),
		cmocka_unit_test(threads_of_the_kernel_have_no_user_stack),
		cmocka_unit_test(a_process_in_namespaces_goes_by_its_number_outside),
	};

	return LIVE_MAIN(argc, argv, tests);
}
