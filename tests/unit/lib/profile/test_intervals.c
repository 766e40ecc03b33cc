/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Are off-CPU intervals, and the lives of threads, read as they were written? */
#include "abi/offcpu.h"
#include "lib/profile/read/read.h"
#include "profile_fixture.h"

static void write_profile(void)
{
	struct profile_writer *w = created();
	uint32_t thread, node;

	profile_set(w, "period_ns", "10000000");
	thread = profile_thread(w, 7, 8, "t");
	node = profile_node(w, 0, profile_frame(w, 0, 1, false, DUSK_BY_CFI));
	profile_sample(w, &(struct dusk_sample){.time_ns = 5000, .thread = thread, .node = node});
	profile_sample(w, &(struct dusk_sample){.time_ns = 3000,
						.value_ns = 1ULL << 40,
						.runnable_ns = 9,
						.thread = thread,
						.node = node,
						.count = 3,
						.cpu = 1,
						.source = DUSK_OFF_CPU,
						.state = OFFCPU_UNINTERRUPTIBLE});
	profile_thread_times(w, &(struct dusk_thread_times){.thread = thread,
							    .start_ns = 1,
							    .end_ns = 21,
							    .on_cpu_ns = 9,
							    .runnable_ns = 4,
							    .blocked_ns = 7,
							    .intervals = 2});
	close_finished(w);
}

static void ticks_and_intervals_are_samples_by_time(void **state)
{
	struct dusk_profile *p;

	(void)state;
	write_profile();
	assert_int_equal(dusk_profile_read(&p, path, NULL), 0);
	assert_int_equal(p->nr_samples, 2);
	assert_int_equal(p->samples[0].source, DUSK_OFF_CPU);
	assert_int_equal(p->samples[0].value_ns, 1ULL << 40);
	assert_int_equal(p->samples[0].runnable_ns, 9);
	assert_int_equal(p->samples[0].count, 3);
	assert_string_equal(dusk_state_name(p->samples[0].state), "uninterruptible");
	assert_int_equal(p->samples[1].source, DUSK_CPU);
	assert_int_equal(p->samples[1].value_ns, 10000000);
	assert_int_equal(p->samples[1].count, 1);
	dusk_profile_free(p);
}

static void lives_are_read_as_written(void **state)
{
	struct dusk_profile *p;

	(void)state;
	write_profile();
	assert_int_equal(dusk_profile_read(&p, path, NULL), 0);
	assert_int_equal(p->nr_thread_times, 1);
	assert_int_equal(p->thread_times[0].end_ns - p->thread_times[0].start_ns, 20);
	assert_int_equal(p->thread_times[0].on_cpu_ns, 9);
	assert_int_equal(p->thread_times[0].runnable_ns, 4);
	assert_int_equal(p->thread_times[0].blocked_ns, 7);
	assert_int_equal(p->thread_times[0].intervals, 2);
	dusk_profile_free(p);
}

static void profiles_without_intervals_are_read(void **state)
{
	struct dusk_profile *p;

	(void)state;
	write_profile();
	run_sql(path, "drop table offcpu; drop table thread_times; drop table state");
	assert_int_equal(dusk_profile_read(&p, path, NULL), 0);
	assert_int_equal(p->nr_samples, 1);
	assert_int_equal(p->nr_thread_times, 0);
	dusk_profile_free(p);
}

static void wrong_values_are_damage(void **state)
{
	static const char *const damage[] = {
		"update offcpu set state=99", "update offcpu set runnable=value+1", "update offcpu set value=-1",
		"update offcpu set nr='x'",   "update thread_times set thread=5",   "update thread_times set start=22",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(damage) / sizeof(damage[0]); i++) {
		struct dusk_profile *p;

		write_profile();
		run_sql(path, damage[i]);
		assert_int_equal(dusk_profile_read(&p, path, NULL), -EINVAL);
	}
}

/* Off-CPU intervals 1 to 3, written in the order 2, 3, 1; the wakers of 3 and 1 before them. */
static void write_woken(void)
{
	struct dusk_sample s = {.value_ns = 1, .count = 1, .source = DUSK_OFF_CPU};
	struct dusk_waker task = {.kind = DUSK_WAKER_TASK}, interrupt = {.kind = DUSK_WAKER_INTERRUPT};
	struct profile_writer *w = created();
	uint64_t first;

	s.thread = profile_thread(w, 7, 8, "t");
	task.thread = profile_thread(w, 7, 9, "u");
	task.node = interrupt.node = profile_node(w, 0, profile_frame(w, 0, 1, false, DUSK_BY_CFI));
	task.outcome = 1;
	first = profile_new_interval(w);
	profile_waker(w, &interrupt, first);
	s.time_ns = 2000;
	profile_sample(w, &s);
	profile_waker(w, &task, profile_new_interval(w));
	s.time_ns = 3000;
	profile_interval(w, &s, first + 2);
	s.time_ns = 1000;
	profile_interval(w, &s, first);
	close_finished(w);
}

static void wakers_are_found_by_the_intervals_that_they_ended(void **state)
{
	const struct dusk_waker *by;
	struct dusk_profile *p;

	(void)state;
	write_woken();
	assert_int_equal(dusk_profile_read(&p, path, NULL), 0);
	assert_int_equal(p->nr_samples, 3);
	assert_int_equal(p->nr_wakers, 3);
	by = &p->wakers[p->samples[0].waker];
	assert_int_equal(by->kind, DUSK_WAKER_INTERRUPT);
	assert_int_equal(by->node, 1);
	assert_int_equal(p->samples[1].waker, 0);
	by = &p->wakers[p->samples[2].waker];
	assert_int_equal(by->kind, DUSK_WAKER_TASK);
	assert_string_equal(p->threads[by->thread].comm, "u");
	assert_int_equal(by->outcome, 1);
	dusk_profile_free(p);
}

/* A reader that follows a recording has read so far: what was written later is behind that, though its stack took longer. */
static void ids_of_intervals_are_in_the_order_of_writing(void **state)
{
	const struct profile_cursor all = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX};
	struct profile_cursor from = {.offcpu = 2}, reached;
	struct dusk_profile *p;

	(void)state;
	write_woken();
	assert_int_equal(profile_read_rows(&p, path, &from, &all, &reached, NULL), 0);
	assert_int_equal(reached.offcpu, 3);
	assert_int_equal(p->nr_samples, 1);
	assert_int_equal(p->samples[0].time_ns, 1000);
	assert_int_equal(p->wakers[p->samples[0].waker].kind, DUSK_WAKER_INTERRUPT);
	dusk_profile_free(p);
}

/* Of many, whose halves come far apart, each has its own waker. */
static void many_wakers_find_their_intervals(void **state)
{
	enum { NR = 5000, LATE = 700 };
	struct dusk_sample s = {.value_ns = 1, .count = 1, .source = DUSK_OFF_CPU};
	struct dusk_waker by = {.kind = DUSK_WAKER_INTERRUPT};
	struct profile_writer *w = created();
	uint64_t numbers[NR];
	struct dusk_profile *p;

	(void)state;
	s.thread = profile_thread(w, 7, 8, "t");
	for (int i = 0; i < NR; i++) {
		uint32_t frame = profile_frame(w, 0, i + 1, false, DUSK_BY_CFI);

		numbers[i] = profile_new_interval(w);
		by.node = profile_node(w, 0, frame);
		assert_int_equal(by.node, i + 1);
		profile_waker(w, &by, numbers[i]);
		s.time_ns = 1000ULL * (i - LATE);
		if (i >= LATE)
			profile_interval(w, &s, numbers[i - LATE]);
	}
	for (int i = NR - LATE; i < NR; i++) {
		s.time_ns = 1000ULL * i;
		profile_interval(w, &s, numbers[i]);
	}
	close_finished(w);
	assert_int_equal(dusk_profile_read(&p, path, NULL), 0);
	assert_int_equal(p->nr_samples, NR);
	for (int i = 0; i < NR; i++)
		assert_int_equal(p->wakers[p->samples[i].waker].node, p->samples[i].time_ns / 1000 + 1);
	dusk_profile_free(p);
}

static void wakers_may_come_before_their_intervals(void **state)
{
	struct dusk_profile *p;

	(void)state;
	write_woken();
	run_sql(path, "delete from offcpu where time=1");
	assert_int_equal(dusk_profile_read(&p, path, NULL), 0);
	assert_int_equal(p->nr_wakers, 2);
	assert_int_equal(p->samples[0].waker, 0);
	assert_int_equal(p->wakers[p->samples[1].waker].kind, DUSK_WAKER_TASK);
	dusk_profile_free(p);
}

static void profiles_without_wakers_are_read(void **state)
{
	struct dusk_profile *p;

	(void)state;
	write_woken();
	run_sql(path, "drop table waker");
	assert_int_equal(dusk_profile_read(&p, path, NULL), 0);
	assert_int_equal(p->nr_samples, 3);
	assert_int_equal(p->samples[0].waker, 0);
	dusk_profile_free(p);
}

static void wrong_wakers_are_damage(void **state)
{
	static const char *const damage[] = {
		"update waker set kind=3", "update waker set kind=0",	   "update waker set thread=2",
		"update waker set node=2", "update waker set outcome=255",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(damage) / sizeof(damage[0]); i++) {
		struct dusk_profile *p;

		write_woken();
		run_sql(path, damage[i]);
		assert_int_equal(dusk_profile_read(&p, path, NULL), -EINVAL);
	}
}

static void there_are_as_many_names_as_states(void **state)
{
	(void)state;
	assert_non_null(dusk_state_name(NR_OFFCPU_REASONS - 1));
	assert_null(dusk_state_name(NR_OFFCPU_REASONS));
}

/* "8 1..6 on-cpu, ...", in milliseconds. */
static void timeline_is(const char *want)
{
	assert_string_equal(
		queried("select group_concat(tid||' '||round(start_s*1e3)||'..'||round(end_s*1e3)||' '||state,', ') "
			"from (select * from timeline order by tid,start_s)"),
		want);
}

static void a_timeline_fills_the_lives_of_threads(void **state)
{
	(void)state;
	write_profile();
	run_sql(path,
		"delete from offcpu; delete from thread_times;"
		"insert into thread values(1,7,9,'u',null);"
		"insert into thread_times values(1,0,1000000,21000000,0,0,0,0),(2,0,31000000,41000000,0,0,0,0);"
		"insert into offcpu(time,thread,state,value,cpu,nr) values"
		"(10000,0,1,4000000,0,1),(12000,0,1,2000000,1,1),(15000,0,1,1000000,null,3),(20000,0,1,1000000,null,1),"
		"(41000,0,2,5000000,0,1),(8000,1,1,2000000,0,1),(10000,1,1,1000000,0,1)");
	timeline_is("8 1.0..6.0 on-cpu, 8 6.0..10.0 sleeping, 8 10.0..12.0 sleeping, 8 12.0..21.0 on-cpu, "
		    "8 31.0..36.0 on-cpu, 8 36.0..41.0 uninterruptible, "
		    "9 6.0..8.0 sleeping, 9 8.0..9.0 on-cpu, 9 9.0..10.0 sleeping");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ticks_and_intervals_are_samples_by_time),
		cmocka_unit_test(lives_are_read_as_written),
		cmocka_unit_test(profiles_without_intervals_are_read),
		cmocka_unit_test(wrong_values_are_damage),
		cmocka_unit_test(a_timeline_fills_the_lives_of_threads),
		cmocka_unit_test(wakers_are_found_by_the_intervals_that_they_ended),
		cmocka_unit_test(ids_of_intervals_are_in_the_order_of_writing),
		cmocka_unit_test(many_wakers_find_their_intervals),
		cmocka_unit_test(wakers_may_come_before_their_intervals),
		cmocka_unit_test(profiles_without_wakers_are_read),
		cmocka_unit_test(wrong_wakers_are_damage),
		cmocka_unit_test(there_are_as_many_names_as_states),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
