/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Views of a profile that holds both ticks of the CPU's timer and off-CPU intervals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>
#include "filter_leaves.h"
#include "report/model/diff.h"
#include "report/model/completeness.h"
#include "report/model/missing_symbols.h"
#include "report/show/show.h"

#define MS 1000000ULL

enum { PREEMPTED, SLEEPING, UNINTERRUPTIBLE }; /* as profiles have them */

static void sleeps(struct folded *f, const char *comm, uint8_t state, uint64_t ns, uint64_t runnable_ns, uint32_t nr,
		   const char *stack)
{
	folded_interval(f, comm,
			(struct dusk_sample){.state = state, .value_ns = ns, .runnable_ns = runnable_ns, .count = nr},
			stack);
}

/* A tick is 10.1 ms here, so that 3 ticks weigh 30.3 ms. */
static void fill(struct folded *f)
{
	folded_add(f, "xz", "outermost", 3, "xz!main;xz!code");
	sleeps(f, "xz", SLEEPING, 40 * MS, 1 * MS, 1, "xz!main;xz!code;[kernel]!read");
	sleeps(f, "xz", UNINTERRUPTIBLE, 20 * MS, 0, 1, "xz!main;xz!code;[kernel]!read");
	sleeps(f, "xz", PREEMPTED, 4 * MS, 4 * MS, 40, "xz!main;xz!code");
	folded_add(f, "xz", "exiting", 1, "");
	sleeps(f, "cat", SLEEPING, 6 * MS, 0, 1, "");
}

static void ticks_are_what_is_usual(void **state)
{
	fill(*state);
	filter_leaves(*state, &(struct filter){0}, BY_COUNT, "xz;main;code 3\nxz;[no stack: exiting] 1\n");
}

static void intervals_are_usual_where_there_is_no_tick(void **state)
{
	sleeps(*state, "xz", SLEEPING, 40 * MS, 0, 1, "xz!main");
	assert_int_equal(time_base_of(&((struct folded *)*state)->profile, TIME_BASE_USUAL), TIME_BASE_OFF_CPU);
	filter_leaves(*state, &(struct filter){0}, BY_TIME, "xz;main 40000000\n");
}

static void each_kind_can_be_had_alone(void **state)
{
	fill(*state);
	filter_leaves(*state, &(struct filter){.kind = TIME_BASE_OFF_CPU}, BY_TIME,
		      "xz;main;code 4000000\nxz;main;code;read 60000000\ncat;[no stack: outermost] 6000000\n");
	filter_leaves(*state, &(struct filter){.kind = TIME_BASE_OFF_CPU}, BY_COUNT,
		      "xz;main;code 40\nxz;main;code;read 2\ncat;[no stack: outermost] 1\n");
	filter_leaves(*state, &(struct filter){.kind = TIME_BASE_OFF_CPU}, BY_RUNNABLE,
		      "xz;main;code 4000000\nxz;main;code;read 1000000\n");
	filter_leaves(*state, &(struct filter){.kind = TIME_BASE_CPU}, BY_TIME,
		      "xz;main;code 30303030\nxz;[no stack: exiting] 10101010\n");
}

static void both_kinds_add_up_by_time(void **state)
{
	fill(*state);
	filter_leaves(*state, &(struct filter){.kind = TIME_BASE_WALL}, BY_TIME,
		      "xz;main;code 34303030\nxz;main;code;read 60000000\nxz;[no stack: exiting] 10101010\n"
		      "cat;[no stack: outermost] 6000000\n");
}

static void marks_say_why_a_stack_was_off_cpu(void **state)
{
	struct filter marks = {.kind = TIME_BASE_WALL, .marks = true};

	fill(*state);
	filter_leaves(*state, &marks, BY_TIME,
		      "xz;main;code 30303030\nxz;main;code;read;[sleeping] 40000000\n"
		      "xz;main;code;read;[uninterruptible] 20000000\nxz;main;code;[preempted] 4000000\n"
		      "xz;[no stack: exiting] 10101010\ncat;[no stack: outermost] 6000000\n");
	marks.focus = "^\\[sleeping\\]$";
	filter_leaves(*state, &marks, BY_TIME, "xz;main;code;read;[sleeping] 40000000\n");
	marks.focus = NULL;
	marks.hide = "^\\[(sleeping|uninterruptible|preempted)|^xz$";
	filter_leaves(*state, &marks, BY_TIME,
		      "xz;read 60000000\nxz;[no stack: exiting] 10101010\ncat;[no stack: outermost] 6000000\n");
}

static void stacks_end_where_the_thread_waited(void **state)
{
	struct filter trim = {.kind = TIME_BASE_WALL, .trim = true};

	folded_add(*state, "xz", "outermost", 1, "xz!main;[kernel]!pick;[kernel]!schedule");
	sleeps(*state, "xz", SLEEPING, 5, 0, 1,
	       "xz!main;[kernel]!read;[kernel]!schedule_timeout;[kernel]!schedule;[kernel]!__schedule");
	sleeps(*state, "xz", SLEEPING, 6, 0, 1, "xz!main;xz!schedule");
	sleeps(*state, "kworker", SLEEPING, 7, 0, 1, "[kernel]!schedule");
	filter_leaves(*state, &trim, BY_TIME,
		      "xz;main;pick;schedule 10101010\nxz;main;schedule 6\nxz;main;read 5\nkworker;schedule 7\n");
	trim.marks = true;
	filter_leaves(*state, &trim, BY_TIME,
		      "xz;main;pick;schedule 10101010\nxz;main;schedule;[sleeping] 6\nxz;main;read;[sleeping] 5\n"
		      "kworker;schedule;[sleeping] 7\n");
}

static void marks_tell_waits_of_idle_threads_from_others(void **state)
{
	struct folded *f = *state;
	struct dusk_setting duration = {"duration_ns", "100000000"};
	struct filter marks = {.kind = TIME_BASE_WALL, .trim = true, .marks = true};

	f->profile.settings = &duration;
	f->profile.nr_settings = 1;
	sleeps(f, "pool", SLEEPING, 100 * MS, 0, 1, "pool!take;[kernel]!futex_wait;[kernel]!schedule");
	sleeps(f, "stuck", SLEEPING, 100 * MS, 0, 1, "stuck!main;stuck!pthread_mutex_lock;[kernel]!futex_wait");
	sleeps(f, "busy", SLEEPING, 90 * MS, 0, 1, "busy!main;[kernel]!read");
	filter_leaves(f, &marks, BY_TIME,
		      "pool;take;futex_wait;[sleeping] 100000000\n"
		      "stuck;main;pthread_mutex_lock;futex_wait;[sleeping] 100000000\n"
		      "busy;main;read;[sleeping] 90000000\n");
	marks.idle_marks = true;
	filter_leaves(f, &marks, BY_TIME,
		      "pool;take;futex_wait;[waiting for work] 100000000\n"
		      "stuck;main;pthread_mutex_lock;futex_wait;[sleeping] 100000000\n"
		      "busy;main;read;[sleeping] 90000000\n");
	f->profile.settings = NULL;
	f->profile.nr_settings = 0;
}

static void the_profile_stays_as_it_was(void **state)
{
	struct folded *f = *state;
	uint32_t nodes, frames, functions;

	fill(f);
	nodes = f->profile.nr_nodes;
	frames = f->profile.nr_frames;
	functions = f->profile.nr_functions;
	filter_leaves(f, &(struct filter){.kind = TIME_BASE_WALL, .marks = true, .focus = "none"}, BY_TIME, "");
	assert_int_equal(f->profile.nr_nodes, nodes);
	assert_int_equal(f->profile.nr_frames, frames);
	assert_int_equal(f->profile.nr_functions, functions);
	assert_int_equal(f->profile.nr_samples, 8);
	filter_leaves(f, &(struct filter){0}, BY_COUNT, "xz;main;code 3\nxz;[no stack: exiting] 1\n");
}

/* The table of @f as CSV, below the line of columns, is @want. */
static void table_is(struct folded *f, enum time_base kind, unsigned int rows, struct selection only,
		     struct show_options o, const char *want)
{
	struct filtered seen = {0};
	struct table *t = NULL;
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(filtered_init(&seen, &f->profile, &(struct filter){.kind = kind, .only = only}), 0);
	assert_int_equal(table_new(&t, &seen.profile, rows, BY_TIME), 0);
	o.form = SHOW_CSV;
	o.kind = kind;
	table_show(out, t, &o);
	table_free(t);
	filtered_done(&seen);
	fclose(out);
	assert_string_equal(text, want);
	free(text);
}

static void tables_of_intervals_say_how_long_and_how_often(void **state)
{
	struct show_options o = {.column = {KEY_FUNCTION}, .nr_columns = 1};

	fill(*state);
	table_is(*state, TIME_BASE_OFF_CPU, KEY_FUNCTION, (struct selection){0}, o,
		 "self_percent,total_percent,self_ms,total_ms,count,runnable_ms,longest_ms,function\n"
		 "85.7143,85.7143,60.000000,60.000000,2,1.000000,40.000000,read\n"
		 "8.5714,8.5714,6.000000,6.000000,1,0.000000,6.000000,[no stack: outermost]\n"
		 "5.7143,91.4286,4.000000,64.000000,42,5.000000,40.000000,code\n"
		 "0.0000,91.4286,0.000000,64.000000,42,5.000000,40.000000,main\n");
}

static void states_can_be_rows(void **state)
{
	struct show_options o = {
		.column = {KEY_COMM, KEY_STATE, KEY_TOTAL, KEY_COUNT, KEY_AVERAGE}, .nr_columns = 5, .chosen = true};

	fill(*state);
	table_is(*state, TIME_BASE_OFF_CPU, KEY_COMM | KEY_STATE, (struct selection){0}, o,
		 "comm,state,total_ms,count,average_ms\n"
		 "xz,sleeping,40.000000,1,40.000000\n"
		 "xz,uninterruptible,20.000000,1,20.000000\n"
		 "cat,sleeping,6.000000,1,6.000000\n"
		 "xz,preempted,4.000000,40,0.100000\n");
	o.nr_columns = 3;
	table_is(*state, TIME_BASE_WALL, KEY_COMM | KEY_STATE, (struct selection){0}, o,
		 "comm,state,total_ms\n"
		 "xz,on-cpu,40.404040\n"
		 "xz,sleeping,40.000000\n"
		 "xz,uninterruptible,20.000000\n"
		 "cat,sleeping,6.000000\n"
		 "xz,preempted,4.000000\n");
}

static void states_can_be_chosen(void **state)
{
	const char *states[] = {"preempted", "uninterruptible"};
	struct selection s = {.state = states, .nr_state = 2};
	struct show_options o = {.column = {KEY_FUNCTION, KEY_TOTAL}, .nr_columns = 2, .chosen = true};

	fill(*state);
	table_is(*state, TIME_BASE_WALL, KEY_FUNCTION, s, o,
		 "function,total_ms\nread,20.000000\ncode,24.000000\nmain,24.000000\n");
}

static void marks_are_of_the_module_that_they_stand_on(void **state)
{
	const char *kernel[] = {"[kernel]"};
	struct selection s = {.dso = kernel, .nr_dso = 1};
	struct tree_options o = {TREE_UP, 0, 0, BY_TIME};
	struct filtered seen = {0};
	struct tree *t = NULL;

	fill(*state);
	assert_int_equal(filtered_init(&seen, &((struct folded *)*state)->profile,
				       &(struct filter){.kind = TIME_BASE_WALL, .marks = true, .only = s}),
			 0);
	assert_int_equal(tree_new(&t, &seen.profile, &o), 0);
	assert_int_equal(t->all, 60 * MS);
	tree_free(t);
	filtered_done(&seen);
}

static void trees_of_time_say_so(void **state)
{
	struct folded *f = *state;
	struct tree_options o = {TREE_DOWN, 0, 0, BY_TIME};
	struct show_options show = {.form = SHOW_CSV};
	struct tree *t = NULL;
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	sleeps(f, "xz", SLEEPING, 30 * MS, 0, 1, "xz!main;xz!code");
	sleeps(f, "xz", SLEEPING, 10 * MS, 0, 7, "xz!main");
	assert_int_equal(tree_new(&t, &f->profile, &o), 0);
	assert_int_equal(tree_show(out, t, TREE_DOWN, &show), 0);
	tree_free(t);
	fclose(out);
	assert_string_equal(text, "depth,total_percent,total_ms,self_ms,function,dso\n"
				  "0,100.0000,40.000000,0.000000,,\n"
				  "1,100.0000,40.000000,10.000000,main,xz\n"
				  "2,75.0000,30.000000,30.000000,code,xz\n");
	free(text);
}

static void time_that_was_not_sampled_has_no_chance(void **state)
{
	struct folded *f = *state, after;
	struct diff_options o = {.by = BY_TIME};
	struct show_options show = {.form = SHOW_CSV};
	struct diff *d = NULL;
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	folded_init(&after);
	sleeps(f, "xz", SLEEPING, 30 * MS, 0, 1, "xz!read");
	sleeps(f, "xz", SLEEPING, 10 * MS, 0, 9, "xz!write");
	sleeps(&after, "xz", SLEEPING, 10 * MS, 0, 1, "xz!read");
	sleeps(&after, "xz", SLEEPING, 10 * MS, 0, 1, "xz!write");
	assert_int_equal(diff_new(&d, &f->profile, &after.profile, &o), 0);
	assert_true(diff_chance(d, &d->rows[0]) == 1);
	assert_int_equal(diff_show(out, d, &show), 0);
	diff_free(d);
	folded_done(&after);
	fclose(out);
	assert_string_equal(text, "delta_percent,before_percent,after_percent,before_ms,after_ms,function,dso\n"
				  "-25.0000,75.0000,50.0000,30.000000,10.000000,read,xz\n"
				  "25.0000,25.0000,50.0000,10.000000,10.000000,write,xz\n");
	free(text);
}

static void totals_do_not_add_ticks_to_intervals(void **state)
{
	struct folded *f = *state;
	struct completeness l;

	fill(f);
	assert_int_equal(completeness_of(&l, &f->profile, DUSK_CPU), 0);
	assert_int_equal(l.samples, 4);
	assert_int_equal(l.no_stack, 1);
	completeness_done(&l);
	assert_int_equal(completeness_of(&l, &f->profile, DUSK_OFF_CPU), 0);
	assert_int_equal(l.samples, 43);
	assert_int_equal(l.complete, 43);
	assert_int_equal(l.ns, 70 * MS);
	completeness_done(&l);
	assert_int_equal(completeness_init(&l, &f->profile), 0);
	assert_int_equal(l.samples, 4);
	completeness_done(&l);
}

static void what_has_no_name_is_weighed_by_its_kind(void **state)
{
	struct folded *f = *state;
	struct missing_symbols *found;
	size_t nr;

	folded_add(f, "xz", "outermost", 3, "lib!");
	sleeps(f, "xz", SLEEPING, 30 * MS, 0, 5, "lib!");
	assert_int_equal(missing_symbols_find(&found, &nr, &f->profile, TIME_BASE_CPU), 0);
	assert_int_equal(found->weight, 3);
	free(found);
	assert_int_equal(missing_symbols_find(&found, &nr, &f->profile, TIME_BASE_OFF_CPU), 0);
	assert_int_equal(found->weight, 30 * MS);
	free(found);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, folded_begin, folded_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(ticks_are_what_is_usual),
		TEST(intervals_are_usual_where_there_is_no_tick),
		TEST(each_kind_can_be_had_alone),
		TEST(both_kinds_add_up_by_time),
		TEST(marks_say_why_a_stack_was_off_cpu),
		TEST(marks_tell_waits_of_idle_threads_from_others),
		TEST(stacks_end_where_the_thread_waited),
		TEST(the_profile_stays_as_it_was),
		TEST(tables_of_intervals_say_how_long_and_how_often),
		TEST(states_can_be_rows),
		TEST(states_can_be_chosen),
		TEST(marks_are_of_the_module_that_they_stand_on),
		TEST(trees_of_time_say_so),
		TEST(time_that_was_not_sampled_has_no_chance),
		TEST(totals_do_not_add_ticks_to_intervals),
		TEST(what_has_no_name_is_weighed_by_its_kind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
