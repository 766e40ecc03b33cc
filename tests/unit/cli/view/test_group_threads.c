/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "cli/view/group_threads.h"

static const uint64_t inner[] = {1, 2, 3}, outer[] = {7, 8};

static const struct dusk_thread_stack usual = {
	.pid = 10,
	.tid = 11,
	.comm = "one",
	.state = 'S',
	.outcome = 1,
	.switches = 5,
	.kernel = inner,
	.nr_kernel = 3,
	.user = outer,
	.nr_user = 2,
};

static void add(struct thread_groups *g, pid_t tid, struct dusk_thread_stack t)
{
	t.tid = tid;
	assert_int_equal(group_threads_add(g, &t), 0);
}

static void equal_stacks_are_one_group(void **state)
{
	struct thread_groups g = {0};

	for (pid_t tid = 11; tid < 111; tid++)
		add(&g, tid, usual);
	assert_int_equal(g.groups.nr, 1);
	assert_int_equal(g.groups.v[0].nr, 100);
	assert_int_equal(g.frames.nr, 5);
	assert_memory_equal(g.frames.v, inner, sizeof(inner));
	assert_memory_equal(g.frames.v + 3, outer, sizeof(outer));
	group_threads_done(&g);
}

static void the_threads_of_a_group_follow_each_other(void **state)
{
	struct dusk_thread_stack other = usual;
	struct thread_groups g = {0};
	uint32_t at;

	other.state = 'D';
	for (pid_t tid = 11; tid < 21; tid++)
		add(&g, tid, tid % 2 ? usual : other);
	at = g.groups.v[0].first;
	for (pid_t tid = 11; tid < 21; tid += 2) {
		assert_int_equal(g.threads.v[at].tid, tid);
		at = g.threads.v[at].next - 1;
	}
	assert_int_equal(at, UINT32_MAX);
	group_threads_done(&g);
}

static void whatever_differs_makes_another_group(void **state)
{
	struct dusk_thread_stack t = usual;
	struct thread_groups g = {0};

	add(&g, 1, usual);
	t.pid++;
	add(&g, 2, t);
	t = usual;
	t.state = 'D';
	add(&g, 3, t);
	t = usual;
	t.outcome++;
	add(&g, 4, t);
	t = usual;
	t.nr_user--;
	add(&g, 5, t);
	t = usual;
	t.kernel = inner + 1; /* the same frames, but one of them is the user's */
	t.nr_kernel = 2;
	add(&g, 6, t);
	assert_int_equal(g.groups.nr, 6);
	group_threads_done(&g);
}

static void neither_name_nor_switches_make_a_difference(void **state)
{
	struct dusk_thread_stack t = usual;
	struct thread_groups g = {0};

	add(&g, 1, usual);
	t.comm = "a name that is longer than it can be";
	t.switches++;
	add(&g, 2, t);
	assert_int_equal(g.groups.nr, 1);
	assert_string_equal(g.threads.v[1].comm, "a name that is ");
	assert_int_equal(g.threads.v[1].switches, 6);
	group_threads_done(&g);
}

static void each_is_a_group_if_that_is_wanted(void **state)
{
	struct thread_groups g = {.each = true};

	add(&g, 1, usual);
	add(&g, 2, usual);
	assert_int_equal(g.groups.nr, 2);
	group_threads_done(&g);
}

static void processes_are_in_order_and_their_largest_groups_first(void **state)
{
	struct dusk_thread_stack other = usual, earlier = usual;
	struct thread_groups g = {0};

	other.nr_user = 0;
	earlier.pid = 9;
	add(&g, 11, other);
	add(&g, 12, usual);
	add(&g, 13, usual);
	add(&g, 14, earlier);
	group_threads_sort(&g);
	assert_int_equal(g.groups.v[0].pid, 9);
	assert_int_equal(g.groups.v[1].nr, 2);
	assert_int_equal(g.groups.v[2].nr, 1);
	group_threads_done(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_stacks_are_one_group),
		cmocka_unit_test(the_threads_of_a_group_follow_each_other),
		cmocka_unit_test(whatever_differs_makes_another_group),
		cmocka_unit_test(neither_name_nor_switches_make_a_difference),
		cmocka_unit_test(each_is_a_group_if_that_is_wanted),
		cmocka_unit_test(processes_are_in_order_and_their_largest_groups_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
