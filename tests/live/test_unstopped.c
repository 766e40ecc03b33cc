/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Are the stacks true that dusk_unwind_threads() takes of threads that are not stopped? Those that stand still are
 * compared with elfutils, frame by frame; of those that move none may be given that was never there.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <dusk/unwind.h>
#include "abi/frame.h"
#include "base/cleanup.h"
#include "stopped.h"
#include "test_arch.h"

#define MAX_SEEN 20000
#define MAX_FRAMES 256
#define LOOKS 1500
#define CROWD 10000

struct seen {
	pid_t tid;
	char state, comm[16];
	const char *outcome;
	uint64_t switches;
	uint32_t nr_user, nr_kernel;
	uint64_t user[MAX_FRAMES], kernel[MAX_FRAMES];
};

static struct dusk_unwinder *unwinder;
static struct seen seen[MAX_STOPPED];
static int nr_seen;

static int open_unwinder(void **state)
{
	struct dusk_error err = {""};

	if (!dusk_unwind_open(&unwinder, NULL, &err))
		return 0;
	print_message("%s\n", err.text);
	return -1;
}

static int close_unwinder(void **state)
{
	dusk_unwind_close(unwinder);
	return 0;
}

static int keep(void *ctx, const struct dusk_thread_stack *t)
{
	struct seen *s = &seen[nr_seen++];

	assert_true(nr_seen < MAX_STOPPED && t->nr_user <= MAX_FRAMES && t->nr_kernel <= MAX_FRAMES);
	*s = (struct seen){.tid = t->tid,
			   .state = t->state,
			   .outcome = dusk_outcome(t->outcome)->name,
			   .switches = t->switches,
			   .nr_user = t->nr_user,
			   .nr_kernel = t->nr_kernel};
	snprintf(s->comm, sizeof(s->comm), "%s", t->comm);
	memcpy(s->user, t->user, t->nr_user * sizeof(*t->user));
	memcpy(s->kernel, t->kernel, t->nr_kernel * sizeof(*t->kernel));
	return 0;
}

/* The threads of @pid, to seen[]. */
static void look(pid_t pid)
{
	struct dusk_threads_options o = {.sz = sizeof(o), .pids = &pid, .nr_pids = 1};
	struct dusk_error err = {""};

	nr_seen = 0;
	if (dusk_unwind_threads(unwinder, &o, keep, NULL, &err))
		fail_msg("%s", err.text);
}

static const struct seen *thread_seen(pid_t tid)
{
	for (int i = 0; i < nr_seen; i++)
		if (seen[i].tid == tid)
			return &seen[i];
	fail_msg("thread %d is missing", tid);
	return NULL;
}

/* live_sentence() of these frames. To be freed with free(). */
static char *sentence(const uint64_t *frame, uint32_t nr)
{
	static struct live_stack stack;
	struct dusk_place place;
	char *text;

	assert_true(nr <= MAX_LIVE_DEPTH);
	for (stack.nr = 0; stack.nr < nr; stack.nr++) {
		dusk_unwind_place(unwinder, frame[stack.nr], &place);
		stack.frame[stack.nr].name = place.function ? strdup(place.function) : NULL;
	}
	text = live_sentence(&stack);
	while (nr)
		free((char *)stack.frame[--nr].name);
	return text;
}

/*
 * Are all of them the frames that elfutils finds, at the same places of the same files? @before: elfutils may find the
 * innermost one so many bytes before.
 */
static void check_frames(const struct stopped *s, const struct seen *t, uint64_t before)
{
	struct stopped_frame theirs[MAX_FRAMES];
	size_t nr = stopped_stack(s, t->tid, theirs, MAX_FRAMES);
	uint64_t offset = 0, ours;

	if (strcmp(t->outcome, "outermost") && strcmp(t->outcome, "thread-start"))
		fail_msg("%s: %s", t->comm, t->outcome);
	if (!TEST_VDSO_HAS_CFI && !strcmp(t->comm, "in_handler"))
		nr = 2; /* poll() and the handler, which elfutils does not leave as it should */
	else
		assert_int_equal(t->nr_user, nr);
	for (size_t i = 0; i < nr; i++) {
		assert_non_null(stopped_place(s, theirs[i].pc, &offset));
		ours = frame_offset(t->user[i]);
		assert_true(ours == offset || (!i && ours == offset + before));
		assert_int_equal(frame_is_return(t->user[i]), !theirs[i].exact);
	}
}

static void a_thread_that_stands_still_has_the_frames_that_elfutils_finds(void **state)
{
	pid_t pid = START(live_victim("stands"));
	size_t frames = 0;
	struct stopped s;

	look(pid);
	stopped_begin(&s, pid);
	assert_int_equal(nr_seen, s.nr_tids);
	assert_int_equal(nr_seen, 12);
	for (int i = 0; i < s.nr_tids; i++) {
		const struct seen *t = thread_seen(s.tid[i]);
		_cleanup_(freep) char *user = sentence(t->user, t->nr_user),
				      *kernel = sentence(t->kernel, t->nr_kernel);

		check_frames(&s, t, TEST_STOPPED_BEFORE);
		print_message("%-12s %c  %s | %s\n", t->comm, t->state, user, kernel);
		assert_int_equal(t->state, 'S');
		assert_true(t->nr_kernel > 2);
		if (t->tid != pid) {
			assert_non_null(strstr(user, " begin descend*5 in_"));
			assert_non_null(strstr(user, t->comm));
		}
		frames += t->nr_user;
	}
	print_message("%d threads, %zu user frames the same\n", nr_seen, frames);

	look(pid);
	for (int i = 0; i < s.nr_tids; i++) {
		assert_int_equal(thread_seen(s.tid[i])->state, 't');
		check_frames(&s, thread_seen(s.tid[i]), 0);
	}
	stopped_end(&s);
	live_end(pid);
}

static void reading_stacks_stops_and_wakes_no_thread(void **state)
{
	uint64_t before[MAX_STOPPED];
	pid_t pid = START(live_victim("stands"));

	look(pid);
	for (int i = 0; i < nr_seen; i++)
		before[i] = seen[i].switches;
	for (int turn = 0; turn < 20; turn++)
		look(pid);
	for (int i = 0; i < nr_seen; i++)
		assert_int_equal(seen[i].switches, before[i]);
	live_end(pid);
}

static void a_thread_on_a_cpu_is_said_to_run(void **state)
{
	pid_t pid = START(live_victim("recurse"), "10");
	int running = 0, waiting = 0;

	for (int i = 0; i < 200; i++) {
		_cleanup_(freep) char *text = NULL;

		look(pid);
		assert_int_equal(nr_seen, 1);
		assert_int_equal(seen[0].state, 'R');
		if (!strcmp(seen[0].outcome, "running")) {
			assert_int_equal(seen[0].nr_user + seen[0].nr_kernel, 0);
			running++;
			continue;
		}
		if (!strcmp(seen[0].outcome, "moved"))
			continue;
		text = sentence(seen[0].user, seen[0].nr_user); /* it waits for a CPU, and then stands still, too */
		if (!strstr(text, "main"))
			fail_msg("%s", text);
		waiting++;
	}
	print_message("running %d times, waiting for a CPU %d times\n", running, waiting);
	assert_true(running > 0);
	live_end(pid);
}

/* It was on its way between two places, or at one of them: user and kernel stack agree on it. */
static void check_alternate(const struct seen *t)
{
	_cleanup_(freep) char *user = sentence(t->user, t->nr_user), *kernel = sentence(t->kernel, t->nr_kernel);
	bool left = strstr(user, " left"), right = strstr(user, " right");
	bool asleep = strstr(kernel, "nanosleep"), polls = strstr(kernel, "sys_poll");

	if (!strstr(user, " work") || (left && right) || (asleep && (!strstr(user, " left*8 ") || polls)) ||
	    (polls && !strstr(user, " right*3 ")))
		fail_msg("%c %s | %s", t->state, user, kernel);
}

static void a_thread_that_moves_is_never_given_a_stack_that_was_not_there(void **state)
{
	pid_t pid = START(live_victim("alternates"));
	int given[2] = {0}, running = 0, moved = 0;

	for (int i = 0; i < LOOKS; i++) {
		look(pid);
		assert_int_equal(nr_seen, 5);
		for (int k = 0; k < nr_seen; k++) {
			const struct seen *t = &seen[k];

			if (t->tid == pid)
				continue;
			running += !strcmp(t->outcome, "running");
			moved += !strcmp(t->outcome, "moved");
			if (!t->nr_user)
				continue;
			check_alternate(t);
			given[t->state == 'S']++;
		}
	}
	print_message("%d stacks of sleepers, %d of threads that waited for a CPU, %d running, %d moved\n", given[1],
		      given[0], running, moved);
	assert_true(given[1] > LOOKS / 2);
	live_end(pid);
}

static void a_page_that_somebody_holds_back_is_not_waited_for(void **state)
{
	const char *number = live_file("rounds");
	volatile unsigned long *rounds = live_number(number);
	pid_t pid = START(live_victim("withheld"), number, "asleep");
	_cleanup_(freep) char *text = NULL;

	live_wait_state(pid, 'S');
	look(pid);
	assert_int_equal(nr_seen, 1);
	text = sentence(seen[0].user, seen[0].nr_user);
	print_message("%s: %s\n", seen[0].outcome, text);
	assert_string_equal(seen[0].outcome, "page-not-safe");
	assert_non_null(strstr(text, "work"));
	assert_null(strstr(text, "enter"));
	assert_int_equal(*rounds, 0);
	live_end(pid);
}

struct crowd {
	pid_t pid, tid[CROWD + 2];
	int nr, complete, excluded, others;
	uint32_t nr_user;
	bool hold_up;
};

/* How many children have we? The youngest to *@last. */
static int count_children(pid_t *last)
{
	FILE *f = fopen("/proc/thread-self/children", "r");
	int nr = 0;

	assert_non_null(f);
	while (fscanf(f, "%d", last) == 1)
		nr++;
	fclose(f);
	return nr;
}

/* Stop the child that reads for us, once: as if it hung. */
static void hold_up_reader(void)
{
	pid_t child = 0;

	count_children(&child);
	kill(child, SIGSTOP);
}

static int count(void *ctx, const struct dusk_thread_stack *t)
{
	struct crowd *c = ctx;
	const char *outcome = dusk_outcome(t->outcome)->name;

	assert_true(c->nr <= CROWD);
	c->tid[c->nr++] = t->tid;
	if (!strcmp(outcome, "excluded")) {
		c->excluded++;
	} else if (strcmp(outcome, "outermost")) {
		c->others++;
	} else {
		c->complete++;
		if (t->tid != c->pid) {
			c->nr_user = c->nr_user ?: t->nr_user;
			assert_int_equal(t->nr_user, c->nr_user);
		}
	}
	if (c->hold_up && c->complete == CROWD / 10)
		hold_up_reader();
	return 0;
}

static void look_at_crowd(struct crowd *c)
{
	struct dusk_threads_options o = {.sz = sizeof(o), .pids = &c->pid, .nr_pids = 1, .timeout_ms = 120000};
	struct dusk_error err = {""};

	if (dusk_unwind_threads(unwinder, &o, count, c, &err))
		fail_msg("%s", err.text);
}

static int by_number(const void *a, const void *b)
{
	return *(const pid_t *)a - *(const pid_t *)b;
}

static void ten_thousand_threads_are_seen_in_one_pass(void **state)
{
	static struct crowd c, held_up;

	c.pid = START(live_victim("crowd"), "10000");
	held_up.pid = c.pid;
	held_up.hold_up = true;
	look_at_crowd(&c);
	assert_int_equal(c.complete, CROWD + 1);
	assert_in_range(c.nr_user, 25, 28); /* three more in pause(), from glibc 2.41 on */

	/* And if the reader hangs, the others are still seen, and none twice. */
	look_at_crowd(&held_up);
	print_message("%d complete, %d excluded after the reader was stopped\n", held_up.complete, held_up.excluded);
	assert_int_equal(held_up.nr, CROWD + 1);
	qsort(held_up.tid, held_up.nr, sizeof(pid_t), by_number);
	for (int i = 1; i < held_up.nr; i++)
		assert_true(held_up.tid[i - 1] < held_up.tid[i]);
	assert_int_equal(held_up.others, 0);
	live_end(c.pid);
}

static int stop_at_once(void *ctx, const struct dusk_thread_stack *t)
{
	++*(int *)ctx;
	return 42;
}

static void what_the_function_returns_ends_it(void **state)
{
	struct dusk_threads_options o = {.sz = sizeof(o)};
	pid_t child = 0;
	int calls = 0, children = count_children(&child);

	assert_int_equal(dusk_unwind_threads(unwinder, &o, stop_at_once, &calls, NULL), 42);
	assert_int_equal(calls, 1);
	assert_int_equal(count_children(&child), children);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_thread_that_stands_still_has_the_frames_that_elfutils_finds,
						open_unwinder, close_unwinder),
		cmocka_unit_test_setup_teardown(reading_stacks_stops_and_wakes_no_thread, open_unwinder,
						close_unwinder),
		cmocka_unit_test_setup_teardown(a_thread_on_a_cpu_is_said_to_run, open_unwinder, close_unwinder),
		cmocka_unit_test_setup_teardown(a_thread_that_moves_is_never_given_a_stack_that_was_not_there,
						open_unwinder, close_unwinder),
		cmocka_unit_test_setup_teardown(a_page_that_somebody_holds_back_is_not_waited_for, open_unwinder,
						close_unwinder),
		cmocka_unit_test_setup_teardown(ten_thousand_threads_are_seen_in_one_pass, open_unwinder,
						close_unwinder),
		cmocka_unit_test_setup_teardown(what_the_function_returns_ends_it, open_unwinder, close_unwinder),
	};

	return LIVE_MAIN(argc, argv, tests);
}
