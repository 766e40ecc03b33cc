/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A task executes another program, or exits, between the request and the walk: each cookie is delivered once all the same,
 * by ring and by callback, of the tool that scheduled the walk and of the other.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "asker.h"
#include "core/shared/defer.h"
#include "victim.h"

#define ALL_WAYS (DUSK_DELIVER_RING | DUSK_DELIVER_SUMS | DUSK_DELIVER_CALLBACK)

#define AGGREGATION_ROWS (1 << 18) /* a row for each request: in a full map it would not be known which stack came */

static struct asker a, b;

static int close_tools(void **state)
{
	asker_close(&a);
	asker_close(&b);
	return 0;
}

static void open_both(uint32_t kinds, pid_t pid)
{
	asker_open(&a, kinds, NULL);
	asker_open(&b, kinds, NULL);
	assert_int_equal(try_init_sized(&a, 0, ALL_WAYS, 4 << 20, AGGREGATION_ROWS), 0);
	assert_int_equal(try_init_sized(&b, 0, ALL_WAYS, 4 << 20, AGGREGATION_ROWS), 0);
	a.control->keys = b.control->keys = 12;
	a.control->again = b.control->again = 11;
	for (int kind = 0; kind < NR_KINDS; kind++) {
		if (!(kinds >> kind & 1))
			continue;
		asker_attach(&a, kind, pid, 1);
		asker_attach(&b, kind, pid, 1);
	}
}

static int add_count(void *ctx, const struct dusk_sum *c)
{
	assert_false(c->unresolved);
	*(uint64_t *)ctx += c->count;
	return 0;
}

static void expect_exact_sums(const struct asker *t)
{
	uint64_t in_map = 0, added = 0;

	assert_int_equal(dusk_unwind_sums(t->unwinder, 0, add_count, &in_map), 0);
	for (uint32_t key = 0; key < PROBE_KEYS; key++)
		added += asker_sum(t, 0, key).count;
	assert_int_equal(in_map + dusk_unwind_lost(t->unwinder, 0, "lost-sums"), added);
}

static size_t with_outcome(const struct asker *t, const char *name)
{
	size_t nr = 0;

	for (size_t i = 0; i < t->got.nr; i++)
		nr += !strcmp(dusk_outcome(t->got.v[i].outcome)->name, name);
	return nr;
}

static void expect_all_served(void)
{
	uint64_t closed = 0;
	static const char *const names[] = {"closed-exec", "closed-exiting", "closed-no-walker", "closed-lost",
					    "closed-idle"};

	asker_expect(&a, 1, 1);
	asker_expect(&b, 1, 1);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		closed += asker_counter(&b, names[i]);
	print_message("%lu walks, %lu closed; %zu exec, %zu exec-new, %zu exiting\n", asker_counter(&b, "walks"),
		      closed, with_outcome(&a, "exec"), with_outcome(&a, "exec-new"), with_outcome(&a, "exiting"));
	expect_exact_sums(&a);
	expect_exact_sums(&b);
	assert_int_equal(asker_counter(&a, "scheduled") + asker_counter(&b, "scheduled") + asker_counter(&b, "unasked"),
			 asker_counter(&b, "walks") + closed);
}

/* @mode: which thread executes the program anew. Everything that the process does is asked for, before and after. */
static void execute(const char *mode)
{
	struct victim v = victim_start(mode);

	open_both(KIND(BY_RAW) | KIND(BY_SWITCH), v.pid);
	live_sleep_ms(50);
	victim_feed(&v, 1);
	live_sleep_ms(200);
	victim_feed(&v, 3);
	live_sleep_ms(50);
	asker_silence(&a);
	asker_silence(&b);
	victim_end(&v);
	expect_all_served();
	for (size_t i = 0; i < a.got.nr; i++)
		if (a.got.v[i].stack && strstr(asker_sentence(&a, a.got.v[i].stack), "no such"))
			fail_msg("a stack that is not there");
}

static void who_executes_another_program_is_served(void **state)
{
	execute("exec");
}

static void a_thread_that_executes_another_program_is_served(void **state)
{
	execute("thread-exec");
}

static void who_is_killed_in_a_system_call_is_served(void **state)
{
	struct victim v = victim_start("read");

	victim_wait_asleep(&v, v.pid);
	open_both(KIND(BY_RAW) | KIND(BY_SWITCH), v.pid);
	victim_feed(&v, 5);
	live_sleep_ms(50);
	victim_wait_asleep(&v, v.pid);
	victim_end(&v); /* still asked while it exits */
	expect_all_served();
}

static void who_exits_by_itself_is_served(void **state)
{
	struct victim v = victim_start("read");

	victim_wait_asleep(&v, v.pid);
	open_both(KIND(BY_RAW) | KIND(BY_SWITCH), v.pid);
	victim_feed(&v, 5);
	close(v.in); /* exit_group() is a system call that does not return */
	live_wait(v.pid, 10);
	close(v.out);
	expect_all_served();
	assert_int_equal(with_outcome(&a, "exiting"), 0); /* its last stack was walked before its memory was gone */
}

/* Threads of one process that live for a moment: ticks and switches ask in the midst of their ends. */
static void short_lives_are_served(void **state)
{
	struct victim v = victim_start("short");

	open_both(KIND(BY_RAW) | KIND(BY_SWITCH) | KIND(BY_TICK), v.pid);
	asker_poll(&a, 600);
	asker_silence(&a);
	asker_silence(&b);
	victim_end(&v);
	expect_all_served();
}

#define COOKIE_OF_ANOTHER (~0ULL >> DEFER_BITS) /* the last of all */

/*
 * A request for a task with the tid of another one before it, whose end no program saw: it gets nothing of what is kept of that one,
 * and what waited there is closed. @task, @birth: bits by which the two differ.
 */
static void use_tid_again(uint64_t task, uint64_t birth)
{
	struct victim v = victim_start("read");
	struct probe_answers answers;
	struct got got;

	victim_wait_asleep(&v, v.pid);
	asker_open(&a, KIND(BY_RAW), NULL);
	asker_init(&a, 0, DUSK_DELIVER_RING);
	asker_attach(&a, BY_RAW, v.pid, 1);
	victim_feed(&v, 2);
	victim_wait_fed(&v);
	a.control->left_task = task;
	a.control->left_birth = birth;
	a.control->left_word = COOKIE_OF_ANOTHER << DEFER_BITS | 1; /* there is one consumer, in slot 0 */
	victim_feed(&v, 2);
	victim_wait_fed(&v);
	asker_silence(&a);
	victim_feed(&v, 1);
	asker_poll_for(&a, 5);
	victim_end(&v);
	assert_int_equal(a.control->left_word, 0);
	assert_int_equal(asker_find(&a, COOKIE_OF_ANOTHER, 0, &got), 1);
	assert_string_equal(dusk_outcome(got.outcome)->name, "exiting");
	assert_int_equal(got.stack, 0);
	answers = asker_tally(&a, 0);
	assert_int_equal(answers.queued, 4);
	assert_int_equal(answers.pending + answers.executed + answers.refused, 0);
	assert_int_equal(a.got.nr, 5);
	for (size_t i = 0; i < a.got.nr; i++)
		if (a.got.v[i].cookie != COOKIE_OF_ANOTHER)
			assert_string_equal(asker_sentence(&a, a.got.v[i].stack), "leaf inner middle outer main");
	assert_int_equal(asker_counter(&a, "closed-exiting"), 1);
}

static void what_waits_under_a_tid_that_is_used_again_is_closed_and_not_joined(void **state)
{
	use_tid_again(1, 0);
}

static void nor_is_what_waits_of_a_task_that_lay_in_the_same_memory(void **state)
{
	use_tid_again(0, 1);
}

/* By a thread that is not the first, after its last stack in its old program was walked and before it takes over the first one's tid. */
static void lives__what_waits_under_an_old_tid_is_closed(void **state)
{
	struct victim v = victim_start("thread-exec");
	struct got got;

	asker_open(&a, KIND(BY_RAW) | KIND(BY_SWITCH), NULL);
	asker_init(&a, 0, DUSK_DELIVER_RING);
	asker_attach(&a, BY_RAW, v.pid, 1); /* execve() itself */
	asker_attach(&a, BY_SWITCH, v.pid, 1);
	a.control->left_in_exec = 1;
	a.control->left_word = COOKIE_OF_ANOTHER << DEFER_BITS | 1;
	live_sleep_ms(50);
	victim_feed(&v, 1);
	live_sleep_ms(200);
	asker_silence(&a);
	asker_poll(&a, 200);
	victim_end(&v);
	assert_int_equal(a.control->left_word, 0);
	assert_int_equal(asker_find(&a, COOKIE_OF_ANOTHER, 0, &got), 1);
	assert_string_equal(dusk_outcome(got.outcome)->name, "exec");
	assert_int_equal(asker_counter(&a, "closed-exec"), 1);
}

#define with_tools(f) cmocka_unit_test_teardown(f, close_tools)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		with_tools(who_executes_another_program_is_served),
		with_tools(a_thread_that_executes_another_program_is_served),
		with_tools(who_is_killed_in_a_system_call_is_served),
		with_tools(who_exits_by_itself_is_served),
		with_tools(short_lives_are_served),
		with_tools(what_waits_under_a_tid_that_is_used_again_is_closed_and_not_joined),
		with_tools(nor_is_what_waits_of_a_task_that_lay_in_the_same_memory),
		with_tools(lives__what_waits_under_an_old_tid_is_closed),
	};

	return ASKER_MAIN(argc, argv, tests);
}
