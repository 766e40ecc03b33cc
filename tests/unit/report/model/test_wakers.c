/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Do the stacks of off-CPU intervals go on with those of their wakers, and of the wakers of these? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>
#include "filter_leaves.h"
#include "report/model/tree.h"
#include "report/model/wakers.h"

#define MS 1000000ULL

enum { PREEMPTED, SLEEPING }; /* as profiles have them */

/*
 * The off-CPU interval of @comm from @from_ms to @to_ms, of which it waited @runnable_ms for a CPU: its place in
 * samples.
 */
static uint64_t sleeps(struct folded *f, const char *comm, uint64_t from_ms, uint64_t to_ms, uint64_t runnable_ms,
		       const char *stack)
{
	struct dusk_profile *p = &f->profile;

	folded_interval(f, comm,
			(struct dusk_sample){.state = SLEEPING,
					     .value_ns = (to_ms - from_ms) * MS,
					     .runnable_ns = runnable_ms * MS,
					     .count = 1},
			stack);
	p->samples[p->nr_samples - 1].time_ns = to_ms * MS;
	return p->nr_samples - 1;
}

/* Off-CPU interval @i was ended by @comm (NULL: an interrupt), whose stack was @stack. */
static void woken(struct folded *f, uint64_t i, const char *comm, const char *stack)
{
	struct dusk_profile *p = &f->profile;
	struct dusk_waker by = {
		.node = folded_stack(f, stack),
		.kind = comm ? DUSK_WAKER_TASK : DUSK_WAKER_INTERRUPT,
		.thread = comm ? folded_thread(f, comm) : 0,
	};

	if (!p->nr_wakers)
		folded_grow(p->wakers, p->nr_wakers);
	p->samples[i].waker = p->nr_wakers;
	folded_grow(p->wakers, p->nr_wakers);
	p->wakers[p->nr_wakers - 1] = by;
}

/* A timer wakes a, that b, and that c, twice, over different paths of a. */
static void fill_chain(struct folded *f)
{
	for (uint64_t i = 0; i < 2; i++) {
		uint64_t at_ms = 100 * i;

		woken(f, sleeps(f, "a", at_ms, at_ms + 10, 1, "a!nap"), NULL,
		      "[kernel]!idle;[kernel]!asm_timer;[kernel]!timer;[kernel]!wake");
		woken(f, sleeps(f, "b", at_ms, at_ms + 20, 1, "b!wait"), "a",
		      i ? "a!second;[kernel]!wake" : "a!first;[kernel]!wake");
		woken(f, sleeps(f, "c", at_ms, at_ms + 30, 2, "c!wait"), "b", "b!pass;[kernel]!wake");
	}
}

static void shows(struct folded *f, struct filter filter, const char *want)
{
	filter_leaves(f, &filter, BY_TIME, want);
}

static void a_waker_stands_inverted_on_the_stack_that_it_woke(void **state)
{
	fill_chain(*state);
	shows(*state, (struct filter){.wakers = 1},
	      "c;wait;--;wake;pass;b 60000000\n"
	      "b;wait;--;wake;first;a 20000000\nb;wait;--;wake;second;a 20000000\n"
	      "a;nap;--;wake;timer;asm_timer;[interrupt] 20000000\n");
}

static void wakers_of_one_name_are_told_apart_by_their_process(void **state)
{
	struct folded *f = *state;
	struct dusk_thread *t;

	fill_chain(f);
	t = (struct dusk_thread *)&f->profile.threads[folded_thread(f, "b")];
	t->title = "b: idle in transaction";
	shows(f, (struct filter){.wakers = 2, .waker_processes = true, .focus = "^pass$"},
	      "c;wait;--;wake;pass;b;pid 101, b: idle in transaction;--;wake;first;a;pid 100 30000000\n"
	      "c;wait;--;wake;pass;b;pid 101, b: idle in transaction;--;wake;second;a;pid 100 30000000\n");
}

static void chains_go_on_to_an_interrupt(void **state)
{
	fill_chain(*state);
	shows(*state, (struct filter){.wakers = 8, .focus = "^pass$"},
	      "c;wait;--;wake;pass;b;--;wake;first;a;--;wake;timer;asm_timer;[interrupt] 30000000\n"
	      "c;wait;--;wake;pass;b;--;wake;second;a;--;wake;timer;asm_timer;[interrupt] 30000000\n");
}

static void chains_are_as_long_as_was_said(void **state)
{
	fill_chain(*state);
	shows(*state, (struct filter){.wakers = 2, .focus = "^pass$"},
	      "c;wait;--;wake;pass;b;--;wake;first;a 30000000\nc;wait;--;wake;pass;b;--;wake;second;a 30000000\n");
}

/* b was back at 20 ms: a thread that was woken before that, though it came back later, was not woken because of it. */
static void what_ended_after_the_wake_was_no_reason_for_it(void **state)
{
	fill_chain(*state);
	woken(*state, sleeps(*state, "d", 0, 25, 6, "d!wait"), "b", "b!other;[kernel]!wake");
	woken(*state, sleeps(*state, "e", 0, 25, 5, "e!wait"), "b", "b!other;[kernel]!wake");
	shows(*state, (struct filter){.wakers = 2, .focus = "^other$"},
	      "d;wait;--;wake;other;b 25000000\ne;wait;--;wake;other;b;--;wake;first;a 25000000\n");
}

static void being_preempted_is_no_reason(void **state)
{
	struct folded *f = *state;

	fill_chain(f);
	f->profile.samples[sleeps(f, "b", 122, 124, 2, "b!runs")].state = PREEMPTED;
	woken(f, sleeps(f, "d", 100, 130, 0, "d!wait"), "b", "b!other;[kernel]!wake");
	shows(f, (struct filter){.wakers = 2, .focus = "^other$"},
	      "d;wait;--;wake;other;b;--;wake;second;a 30000000\n");
}

static void a_waker_that_is_not_known_ends_the_chain(void **state)
{
	fill_chain(*state);
	sleeps(*state, "b", 122, 124, 0, "b!wait");
	woken(*state, sleeps(*state, "d", 100, 130, 0, "d!wait"), "b", "b!other;[kernel]!wake");
	shows(*state, (struct filter){.wakers = 8, .focus = "^other$"}, "d;wait;--;wake;other;b 30000000\n");
}

static void intervals_without_a_stack_stay_so(void **state)
{
	woken(*state, sleeps(*state, "a", 0, 10, 0, ""), "b", "b!main");
	shows(*state, (struct filter){.wakers = 1}, "a;[no stack: outermost] 10000000\n");
}

static void the_state_stands_before_the_waker(void **state)
{
	woken(*state, sleeps(*state, "a", 0, 10, 0, "a!wait"), "b", "b!main");
	shows(*state, (struct filter){.wakers = 1, .marks = true, .kind = TIME_BASE_WALL},
	      "a;wait;[sleeping];--;main;b 10000000\n");
}

static void the_waker_is_of_the_module_in_which_it_was_waited(void **state)
{
	const char *const dso[] = {"b"};
	struct selection selection = {.dso = dso, .nr_dso = 1};
	struct tree_options o = {.by = BY_TIME};
	struct filtered seen = {0};
	struct tree *t;

	fill_chain(*state);
	assert_int_equal(filtered_init(&seen, &((struct folded *)*state)->profile,
				       &(struct filter){.wakers = 3, .only = selection}),
			 0);
	assert_int_equal(tree_new(&t, &seen.profile, &o), 0);
	assert_int_equal(t->all, 40 * MS);
	tree_free(t);
	filtered_done(&seen);
}

static int end(void **state)
{
	free(((struct folded *)*state)->profile.wakers);
	return folded_end(state);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, folded_begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_waker_stands_inverted_on_the_stack_that_it_woke),
		TEST(wakers_of_one_name_are_told_apart_by_their_process),
		TEST(chains_go_on_to_an_interrupt),
		TEST(chains_are_as_long_as_was_said),
		TEST(what_ended_after_the_wake_was_no_reason_for_it),
		TEST(being_preempted_is_no_reason),
		TEST(a_waker_that_is_not_known_ends_the_chain),
		TEST(intervals_without_a_stack_stay_so),
		TEST(the_state_stands_before_the_waker),
		TEST(the_waker_is_of_the_module_in_which_it_was_waited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
