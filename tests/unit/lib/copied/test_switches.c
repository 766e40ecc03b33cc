/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Are the times between context switches those of the right thread, and is what was lost left out? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "lib/copied/switches.h"

#define PID 10
#define TID 11
#define NONE 99 /* the outcome of a stack that was not sampled */

static struct switch_interval intervals[16];
static struct switch_life lives[16];
static size_t nr_intervals, nr_lives;
static struct switches s;

static void note_interval(void *ctx, const struct switch_interval *i)
{
	assert_true(nr_intervals < 16);
	intervals[nr_intervals++] = *i;
}

static void note_life(void *ctx, const struct switch_life *l)
{
	assert_true(nr_lives < 16);
	lives[nr_lives++] = *l;
}

static int begin(void **state)
{
	nr_intervals = nr_lives = 0;
	s = (struct switches){.interval = note_interval, .life = note_life, .no_stack = NONE};
	switches_begin(&s, 100);
	return 0;
}

static int end(void **state)
{
	switches_done(&s);
	return 0;
}

static void out(uint64_t time_ns)
{
	assert_int_equal(switches_out(&s, PID, TID, false, time_ns), 0);
}

static void in(uint64_t time_ns)
{
	assert_int_equal(switches_in(&s, PID, TID, 1, time_ns), 0);
}

static void stack(uint32_t number, uint64_t time_ns)
{
	const struct switch_stack st = {.user = number, .outcome = 1};

	assert_int_equal(switches_stack(&s, PID, TID, &st, time_ns), 0);
}

static void is_interval(size_t i, uint64_t begin_ns, uint64_t end_ns, uint8_t state)
{
	assert_true(i < nr_intervals);
	assert_int_equal(intervals[i].tid, TID);
	assert_int_equal(intervals[i].begin_ns, begin_ns);
	assert_int_equal(intervals[i].end_ns, end_ns);
	assert_int_equal(intervals[i].state, state);
}

static void is_life(size_t i, uint64_t end_ns, uint64_t on_cpu_ns, uint64_t runnable_ns, uint64_t blocked_ns)
{
	assert_true(i < nr_lives);
	assert_int_equal(lives[i].end_ns, end_ns);
	assert_int_equal(lives[i].on_cpu_ns, on_cpu_ns);
	assert_int_equal(lives[i].runnable_ns, runnable_ns);
	assert_int_equal(lives[i].blocked_ns, blocked_ns);
}

static void a_life_is_made_of_its_times(void **state)
{
	assert_int_equal(switches_fork(&s, PID, TID, 200), 0);
	in(210);
	stack(7, 299);
	out(300);
	in(350);
	assert_int_equal(switches_out(&s, PID, TID, true, 360), 0);
	in(364);
	assert_int_equal(switches_exit(&s, TID, 400), 0);
	assert_int_equal(nr_intervals, 3);
	is_interval(0, 200, 210, OFFCPU_BORN);
	is_interval(1, 300, 350, OFFCPU_BLOCKED);
	is_interval(2, 360, 364, OFFCPU_PREEMPTED);
	assert_int_equal(intervals[0].stack.outcome, NONE);
	assert_int_equal(intervals[1].stack.user, 7);
	assert_int_equal(intervals[1].cpu, 1);
	assert_int_equal(intervals[2].stack.outcome, NONE); /* each switch has its own */
	assert_int_equal(nr_lives, 1);
	is_life(0, 400, 90 + 10 + 36, 10 + 4, 50);
	assert_int_equal(lives[0].start_ns, 200);
	assert_int_equal(lives[0].intervals, 3);
	out(410); /* on its way out */
	in(420);
	switches_end(&s, 500);
	assert_int_equal(nr_lives, 1);
	assert_int_equal(s.unknown, 0);
}

static void threads_that_were_there_have_been_where_they_were(void **state)
{
	assert_int_equal(switches_thread(&s, PID, TID, 'S', 120), 0);
	assert_int_equal(switches_thread(&s, PID, 12, 'R', 121), 0);
	assert_int_equal(switches_thread(&s, PID, 13, 'D', 122), 0);
	assert_int_equal(switches_thread(&s, PID, 14, 'R', 300), 0);
	assert_int_equal(switches_out(&s, PID, 12, false, 90), 0); /* it was before the beginning */
	assert_int_equal(switches_in(&s, PID, 12, 0, 95), 0);
	in(150);
	assert_int_equal(switches_in(&s, PID, 14, 0, 160), 0);
	switches_end(&s, 400);
	is_interval(0, 100, 150, OFFCPU_SLEEPING);
	assert_int_equal(intervals[1].state, OFFCPU_BLOCKED); /* it was looked at later, when it ran */
	assert_int_equal(intervals[2].tid, 13);
	assert_int_equal(intervals[2].state, OFFCPU_UNINTERRUPTIBLE);
	assert_int_equal(intervals[2].end_ns, 400);
	assert_int_equal(nr_lives, 4);
	is_life(0, 400, 250, 0, 50);
	is_life(1, 400, 300, 0, 0);
	is_life(2, 400, 0, 0, 300);
}

static void what_goes_on_at_the_end_ends_there(void **state)
{
	in(200);
	stack(5, 249);
	out(250);
	switches_end(&s, 300);
	is_interval(0, 250, 300, OFFCPU_BLOCKED);
	assert_int_equal(intervals[0].stack.user, 5);
	is_life(0, 300, 50, 0, 50);
	assert_int_equal(lives[0].start_ns, 200); /* nothing is known of it before */
}

static void nothing_is_joined_over_a_loss(void **state)
{
	in(200);
	out(250);
	switches_lose(&s, true); /* here it ran, and left the CPU again */
	switches_lose(&s, false);
	in(300);
	out(350);
	in(360);
	switches_end(&s, 400);
	assert_int_equal(nr_intervals, 1);
	is_interval(0, 350, 360, OFFCPU_BLOCKED);
	is_life(0, 400, 50 + 50 + 40, 0, 10);
	assert_int_equal(s.unknown, 1);
}

static void nothing_is_joined_while_records_are_lost(void **state)
{
	in(200);
	switches_lose(&s, true);
	switches_lose(&s, true); /* on two CPUs */
	out(250);
	in(260);
	switches_lose(&s, false);
	out(270);
	in(280);
	switches_lose(&s, false);
	out(300);
	in(310);
	switches_end(&s, 320);
	assert_int_equal(nr_intervals, 1);
	is_interval(0, 300, 310, OFFCPU_BLOCKED);
	is_life(0, 320, 10, 0, 10);
	assert_int_equal(lives[0].start_ns, 200);
}

/* Its own switch was lost, so its stack must not come to a later one. */
static void a_stack_is_not_taken_for_that_of_another_switch(void **state)
{
	in(200);
	stack(1, 249);
	switches_lose(&s, true);
	switches_lose(&s, false);
	out(350); /* another one */
	in(360);
	is_interval(0, 350, 360, OFFCPU_BLOCKED);
	assert_int_equal(intervals[0].stack.outcome, NONE);
	assert_int_equal(intervals[0].stack.user, 0);
}

static void records_that_contradict_each_other_are_not_joined(void **state)
{
	in(200);
	in(220);
	out(230);
	out(260);
	in(250); /* late */
	out(255);
	in(270); /* not since 255, as something else is known of 255 to 260 */
	out(300);
	switches_end(&s, 300);
	assert_int_equal(nr_intervals, 0);
	assert_int_equal(s.unknown, 5);
	is_life(0, 300, 10 + 30, 0, 0);
}

static void a_number_that_is_used_again_is_another_thread(void **state)
{
	assert_int_equal(switches_fork(&s, PID, TID, 200), 0);
	in(210);
	assert_int_equal(switches_fork(&s, PID + 1, TID, 300), 0); /* the end of the first was lost */
	assert_int_equal(switches_in(&s, PID + 1, TID, 0, 310), 0);
	assert_int_equal(switches_exit(&s, TID, 330), 0);
	assert_int_equal(nr_lives, 2);
	is_life(0, 210, 0, 10, 0);
	is_life(1, 330, 20, 10, 0);
	assert_int_equal(lives[1].pid, PID + 1);
	switches_forget(&s);
	assert_int_equal(switches_out(&s, PID + 2, TID, false, 340), 0);
	switches_end(&s, 350);
	assert_int_equal(lives[2].pid, PID + 2);
	is_life(2, 350, 0, 0, 10);
}

static void of_a_cgroup_only_threads_that_leave_their_cpu_there(void **state)
{
	s.by_stacks = true;
	in(190);
	out(200);
	in(210);
	assert_false(switches_knows(&s, TID));
	stack(5, 300); /* it is there now */
	out(301);
	in(320);
	assert_true(switches_knows(&s, TID));
	is_interval(0, 301, 320, OFFCPU_BLOCKED);
	assert_int_equal(intervals[0].stack.user, 5);
	out(350); /* and now elsewhere */
	in(360);
	assert_false(switches_knows(&s, TID));
	is_life(0, 350, 31, 0, 19);
	stack(6, 400); /* and back */
	out(401);
	in(420);
	assert_int_equal(switches_exit(&s, TID, 430), 0);
	stack(7, 440); /* once more, as a thread that ends does */
	out(441);
	switches_end(&s, 500);
	assert_int_equal(nr_intervals, 2);
	is_interval(1, 401, 420, OFFCPU_BLOCKED);
	assert_int_equal(nr_lives, 2);
	is_life(1, 430, 11, 0, 19);
}

static void the_last_switch_of_a_thread_that_was_not_known_begins_nothing(void **state)
{
	s.by_stacks = true;
	assert_int_equal(switches_exit(&s, TID, 200), 0);
	stack(1, 210);
	out(211);
	switches_fork_outside(&s, TID); /* another one, of somebody else; then it moves to the cgroup */
	stack(2, 300);
	out(301);
	assert_int_equal(switches_exec(&s, 99, 99, 310), 0);
	assert_false(switches_knows(&s, 99));
	switches_end(&s, 400);
	assert_int_equal(nr_lives, 1);
	assert_int_equal(lives[0].start_ns, 300);
	is_life(0, 400, 1, 0, 99);
}

static void execve_leaves_one_thread(void **state)
{
	assert_int_equal(switches_fork(&s, PID, PID, 200), 0);
	assert_int_equal(switches_in(&s, PID, PID, 0, 201), 0);
	assert_int_equal(switches_fork(&s, PID, TID, 210), 0);
	in(220);
	assert_int_equal(switches_in(&s, PID + 9, 99, 0, 225), 0); /* another process goes on */
	assert_int_equal(switches_exit(&s, PID, 230), 0);
	assert_int_equal(switches_exec(&s, PID, PID, 240), 0); /* it was TID that called it */
	assert_int_equal(switches_exit(&s, PID, 300), 0);
	switches_end(&s, 400);
	assert_int_equal(nr_lives, 4);
	is_life(3, 400, 175, 0, 0);
	is_life(1, 240, 20, 10, 0);
	assert_int_equal(lives[2].tid, PID);
	assert_int_equal(lives[2].start_ns, 240);
	is_life(2, 300, 60, 0, 0);
}

int main(void)
{
#define test(name) cmocka_unit_test_setup_teardown(name, begin, end)
	const struct CMUnitTest tests[] = {
		test(a_life_is_made_of_its_times),
		test(threads_that_were_there_have_been_where_they_were),
		test(what_goes_on_at_the_end_ends_there),
		test(nothing_is_joined_over_a_loss),
		test(nothing_is_joined_while_records_are_lost),
		test(a_stack_is_not_taken_for_that_of_another_switch),
		test(records_that_contradict_each_other_are_not_joined),
		test(a_number_that_is_used_again_is_another_thread),
		test(of_a_cgroup_only_threads_that_leave_their_cpu_there),
		test(the_last_switch_of_a_thread_that_was_not_known_begins_nothing),
		test(execve_leaves_one_thread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
