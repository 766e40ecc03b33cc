/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Events of the kernel side: each is taken whole, or refused. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "abi/offcpu.h"
#include "abi/event.h"
#include "abi/outcome.h"
#include "formats.h"
#include "lib/record/intake.h"
#include "lib/record/titles.h"
#include "lib/record/modules.h"

#define NO_SUCH_PID 0x40000000 /* no process has it: kernel/pid.c */
#define FRAMES 3
#define RECORD 30

static char folder[] = "/tmp/dusk-intake-XXXXXX", path[64];
static struct join join;
static struct intake in;

/* One event of each kind, with all that may follow its struct. */
static union event {
	u32 kind;
	u8 bytes[2048];
	struct event_sample sample;
	struct event_stack stack;
	struct event_module module;
	struct event_sum sum;
	struct event_offcpu interval;
	struct event_thread_times life;
	struct event_kernel_stack kernel_stack;
	struct event_occurrence occurrence;
	struct event_cgroup cgroup;
	struct event_arguments arguments;
} e;

static struct titles titles;

static int begin(void **state)
{
	struct record_shape shape;

	join = (struct join){.start_ns = 1000, .titles = &titles};
	in = (struct intake){.join = &join};
	snprintf(path, sizeof(path), "%s/p", folder);
	if (profile_create(&join.writer, path, -1, -1, NULL))
		return -1;
	join.modules = modules_new(join.writer, NULL);
	join.stacks = stacks_new(join.writer, join.modules, NULL);
	join.stitch = join_stitch();
	profile_event(join.writer, "sched:sched_process_exec");
	in.nr_events = 1;
	return fields_new(&in.fields) || fields_learn(in.fields, "sched", EXEC_FORMAT, strlen(EXEC_FORMAT), &shape);
}

static int end(void **state)
{
	if (join.writer)
		profile_discard(join.writer);
	stacks_free(join.stacks);
	modules_free(join.modules);
	join_done(&join);
	titles_done(&titles);
	titles = (struct titles){0};
	intake_done(&in);
	fields_free(in.fields);
	return 0;
}

/* @e becomes a whole event of @kind: how many bytes it has. */
static size_t make(u32 kind)
{
	memset(&e, 0, sizeof(e));
	e.kind = kind;
	switch (kind) {
	case EVENT_SAMPLE: e.sample.nr = FRAMES; return sizeof(e.sample) + FRAMES * sizeof(u64);
	case EVENT_STACK:
		e.stack.cookie = 9;
		e.stack.nr = FRAMES;
		return sizeof(e.stack) + FRAMES * sizeof(u64);
	case EVENT_MODULE: e.module.pid = e.module.parent = NO_SUCH_PID; return sizeof(e.module);
	case EVENT_SUM: e.sum.sum.count = 1; return sizeof(e.sum);
	case EVENT_OFFCPU:
		e.interval.nr = FRAMES;
		e.interval.woken = 1;
		e.interval.count = 1;
		((struct event_waker *)e.interval.frame)->kind = WAKER_INTERRUPT;
		return sizeof(e.interval) + sizeof(struct event_waker) + FRAMES * sizeof(u64);
	case EVENT_KERNEL_STACK: e.kernel_stack.nr = FRAMES; return sizeof(e.kernel_stack) + FRAMES * sizeof(u64);
	case EVENT_OCCURRENCE:
		e.occurrence.nr = FRAMES;
		e.occurrence.record_bytes = RECORD;
		memcpy(e.occurrence.record, &(u32[]){0, 0, 10 << 16 | 20, 12, 13}, 20);
		memcpy((u8 *)e.occurrence.record + 20, "/bin/true", 10);
		return sizeof(e.occurrence) + (RECORD + 7) / 8 * 8 + FRAMES * sizeof(u64);
	case EVENT_CGROUP: strcpy(e.cgroup.path, "/a.slice/b.service"); return offsetof(struct event_cgroup, path) + 19;
	case EVENT_ARGUMENTS: e.arguments.bytes = ARGUMENTS_BYTES; return sizeof(e.arguments);
	default: return sizeof(e.life);
	}
}

/* The first @size bytes of @e, and nothing behind them. */
static int take(size_t size)
{
	void *data = malloc(size ? size : 1);
	int ret;

	assert_non_null(data);
	memcpy(data, &e, size);
	ret = intake_event(&in, data, size);
	free(data);
	return ret;
}

static void an_event_that_is_cut_is_refused_wherever_it_is_cut(void **state)
{
	for (u32 kind = EVENT_SAMPLE; kind <= EVENT_ARGUMENTS; kind++) {
		size_t size = make(kind);

		for (size_t cut = 0; cut < size; cut++)
			assert_int_equal(take(cut), -EPROTO);
		assert_int_equal(take(size), 0);
	}
}

static void a_kind_that_there_is_not_is_refused(void **state)
{
	make(EVENT_MODULE);
	e.kind = 0;
	assert_int_equal(take(sizeof(e)), -EPROTO);
	e.kind = EVENT_ARGUMENTS + 1;
	assert_int_equal(take(sizeof(e)), -EPROTO);
	e.kind = UINT32_MAX;
	assert_int_equal(take(sizeof(e)), -EPROTO);
}

static void what_is_out_of_range_is_refused(void **state)
{
	struct event_waker *by;
	size_t size;

	size = make(EVENT_SAMPLE);
	e.sample.outcome = NR_OUTCOMES;
	assert_int_equal(take(size), -EPROTO);
	size = make(EVENT_STACK);
	e.stack.outcome = NR_OUTCOMES;
	assert_int_equal(take(size), -EPROTO);
	size = make(EVENT_STACK);
	e.stack.nr = UINT32_MAX;
	assert_int_equal(take(size), -EPROTO);
	size = make(EVENT_SUM);
	e.sum.key.outcome = NR_OUTCOMES;
	assert_int_equal(take(size), -EPROTO);
	size = make(EVENT_SUM);
	e.sum.key.key = offcpu_key(1, 0, NR_OFFCPU_REASONS);
	assert_int_equal(take(size), -EPROTO);
	size = make(EVENT_OFFCPU);
	e.interval.state = NR_OFFCPU_REASONS;
	assert_int_equal(take(size), -EPROTO);
	size = make(EVENT_OFFCPU);
	by = (struct event_waker *)e.interval.frame;
	by->kind = NR_WAKER_KINDS;
	assert_int_equal(take(size), -EPROTO);
	by->kind = WAKER_NONE;
	assert_int_equal(take(size), -EPROTO);
	by->kind = WAKER_TASK;
	by->outcome = NR_OUTCOMES;
	assert_int_equal(take(size), -EPROTO);
	size = make(EVENT_KERNEL_STACK);
	e.kernel_stack.nr = FRAMES + 1;
	assert_int_equal(take(size), -EPROTO);
	size = make(EVENT_ARGUMENTS);
	e.arguments.bytes = ARGUMENTS_BYTES + 1;
	assert_int_equal(take(size), -EPROTO);
	size = make(EVENT_OCCURRENCE);
	e.occurrence.record_bytes = RECORD_BYTES + 1;
	assert_int_equal(take(sizeof(e)), -EPROTO);
	size = make(EVENT_OCCURRENCE);
	e.occurrence.outcome = NR_OUTCOMES;
	assert_int_equal(take(size), -EPROTO);
}

/* Else it would be in a profile that cannot be read. */
static void numbers_for_which_a_profile_has_no_room_are_refused(void **state)
{
	size_t size;

	size = make(EVENT_SAMPLE);
	e.sample.pid = 1U << 31;
	assert_int_equal(take(size), -EPROTO);
	size = make(EVENT_SAMPLE);
	e.sample.time_ns = UINT64_MAX;
	assert_int_equal(take(size), -EPROTO);
	size = make(EVENT_OFFCPU);
	e.interval.count = 0;
	assert_int_equal(take(size), -EPROTO);
	size = make(EVENT_OFFCPU);
	e.interval.off_ns = 5;
	e.interval.runnable_ns = 6;
	assert_int_equal(take(size), -EPROTO);
	size = make(EVENT_OFFCPU);
	e.interval.off_ns = (1ULL << 62) + 1;
	assert_int_equal(take(size), -EPROTO);
	size = make(EVENT_SUM);
	e.sum.sum.amount = (1ULL << 62) + 1;
	assert_int_equal(take(size), -EPROTO);
	size = make(EVENT_SUM);
	e.sum.sum.count = 1ULL << 32;
	assert_int_equal(take(size), -EPROTO);
	size = make(EVENT_THREAD_TIMES);
	e.life.start_ns = 5;
	assert_int_equal(take(size), -EPROTO);
	size = make(EVENT_MODULE);
	e.module.pid = UINT32_MAX;
	assert_int_equal(take(size), -EPROTO);
}

static void a_path_of_a_cgroup_must_end(void **state)
{
	size_t size = make(EVENT_CGROUP);

	e.cgroup.path[18] = 'c';
	assert_int_equal(take(size), -EPROTO);
	memset(e.cgroup.path, 'c', sizeof(e.cgroup.path));
	assert_int_equal(take(sizeof(e.cgroup)), -EPROTO);
	e.cgroup.path[PATH_BYTES - 1] = 0;
	assert_int_equal(take(sizeof(e.cgroup)), 0);
}

static void a_name_need_not_end(void **state)
{
	size_t size = make(EVENT_THREAD_TIMES);

	memset(e.life.comm, 'c', sizeof(e.life.comm));
	assert_int_equal(take(size), 0);
}

/* A kernel stack by a number that nobody has given, and a user stack of a stackmap that is not there. */
static void a_stack_that_there_is_not_leaves_a_sample_without_it(void **state)
{
	size_t size = make(EVENT_SAMPLE);
	struct dusk_profile *p;

	e.sample.nr = 0;
	e.sample.kernel_stack = UINT32_MAX;
	e.sample.user_stack = 12345;
	assert_int_equal(take(size), 0);
	assert_int_equal(profile_close(join.writer, true, NULL), 0);
	join.writer = NULL;
	assert_int_equal(dusk_profile_read(&p, path, NULL), 0);
	assert_int_equal(p->nr_samples, 1);
	assert_int_equal(p->samples[0].node, 0);
	dusk_profile_free(p);
	unlink(path);
}

/* What is in the file at the end, of which there is one occurrence at most. */
static struct dusk_profile *closed(void)
{
	struct dusk_profile *p;

	assert_int_equal(profile_close(join.writer, true, NULL), 0);
	join.writer = NULL;
	assert_int_equal(dusk_profile_read(&p, path, NULL), 0);
	unlink(path);
	return p;
}

static void an_occurrence_waits_for_its_stack_with_its_fields(void **state)
{
	size_t size = make(EVENT_OCCURRENCE);
	struct dusk_profile *p;

	e.occurrence.cookie = 9;
	e.occurrence.time_ns = 5001000;
	memcpy(e.occurrence.comm, "victim", 7);
	assert_int_equal(take(size), 0);
	assert_int_equal(stitch_nr_waiting(join.stitch), 1);
	assert_int_equal(take(make(EVENT_STACK)), 0);
	assert_int_equal(stitch_nr_waiting(join.stitch), 0);
	p = closed();
	assert_int_equal(p->nr_samples, 0);
	assert_int_equal(p->nr_occurrences, 1);
	assert_int_equal(p->occurrences[0].sample.source, DUSK_EVENT);
	assert_int_equal(p->occurrences[0].sample.time_ns, 5000000);
	assert_int_equal(p->occurrences[0].sample.count, 1);
	assert_string_equal(p->occurrences[0].fields, "filename=/bin/true pid=12 old_pid=13");
	assert_string_equal(p->events[p->occurrences[0].event].name, "sched:sched_process_exec");
	assert_string_equal(p->threads[p->occurrences[0].sample.thread].comm, "victim");
	assert_int_equal(p->nr_nodes, 1 + 2 * FRAMES); /* the kernel's on the user's */
	dusk_profile_free(p);
}

static void a_sum_counts_as_often_as_it_was(void **state)
{
	size_t size = make(EVENT_SUM);

	e.sum.sum = (struct aggregation_sum){.count = 40, .amount = 4000};
	e.sum.key.outcome = STACK_UNREADABLE;
	assert_int_equal(take(size), 0);
	assert_int_equal(join.by_outcome[DUSK_OFF_CPU][STACK_UNREADABLE], 40);
}

/* That of a task that has not been in user mode since is only late. */
static void a_stack_that_was_lost_is_not_taken_for_one_that_is_due(void **state)
{
	size_t size = make(EVENT_SAMPLE);
	struct map due = {0};
	bool added;

	assert_non_null(map_at(&due, 9, &added));
	for (u64 cookie = 9; cookie <= 11; cookie++) {
		e.sample.cookie = cookie;
		assert_int_equal(take(size), 0);
	}
	join_end(&join, &due);
	map_done(&due);
	assert_int_equal(join.by_outcome[DUSK_CPU][PENDING], 1);
	assert_int_equal(join.by_outcome[DUSK_CPU][RING_LOST], 2);
}

/* Nothing is left of it: a build with sanitizers tells. */
static void an_occurrence_that_waits_in_vain_gives_its_fields_back(void **state)
{
	size_t size = make(EVENT_OCCURRENCE);

	e.occurrence.cookie = 9;
	assert_int_equal(take(size), 0);
	assert_int_equal(stitch_nr_waiting(join.stitch), 1);
}

static void an_occurrence_of_an_event_that_is_not_recorded_is_refused(void **state)
{
	size_t size = make(EVENT_OCCURRENCE);

	e.occurrence.event = 1;
	assert_int_equal(take(size), -EPROTO);
}

int main(void)
{
#define with_profile(name) cmocka_unit_test_setup_teardown(name, begin, end)
	const struct CMUnitTest tests[] = {
		with_profile(an_event_that_is_cut_is_refused_wherever_it_is_cut),
		with_profile(a_kind_that_there_is_not_is_refused),
		with_profile(what_is_out_of_range_is_refused),
		with_profile(numbers_for_which_a_profile_has_no_room_are_refused),
		with_profile(a_path_of_a_cgroup_must_end),
		with_profile(a_name_need_not_end),
		with_profile(a_stack_that_there_is_not_leaves_a_sample_without_it),
		with_profile(an_occurrence_waits_for_its_stack_with_its_fields),
		with_profile(a_sum_counts_as_often_as_it_was),
		with_profile(a_stack_that_was_lost_is_not_taken_for_one_that_is_due),
		with_profile(an_occurrence_that_waits_in_vain_gives_its_fields_back),
		with_profile(an_occurrence_of_an_event_that_is_not_recorded_is_refused),
	};
	int ret;

	if (!mkdtemp(folder))
		return 1;
	ret = cmocka_run_group_tests(tests, NULL, NULL);
	return rmdir(folder) ? 1 : ret;
}
