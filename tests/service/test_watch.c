/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Maintenance of the unwinder: walks that do not end, and requests that the kernel has lost. A program that is asked
 * politely does neither, so the maps that tools share are changed by hand: a walker is made old, and an element's task
 * work is taken away with the element's value.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "abi/state.h"
#include "asker.h"
#include "base/cleanup.h"
#include "victim.h"

#define LOOK_MS 1100  /* the maintenance looks once a second */
#define SWEEP_MS 5100 /* and for lost requests every five */

static struct asker tool, other;

static int close_tools(void **state)
{
	asker_close(&tool);
	asker_close(&other);
	return 0;
}

static int map_fd(const char *name)
{
	return bpf_object__find_map_fd_by_name(tool.obj, name);
}

/* The last walker, where nobody is likely to be at work: it looks as if @tid has walked since @since_ns. */
static void set_walker(uint32_t tid, uint64_t since_ns)
{
	struct bpf_map *map = bpf_object__find_map_by_name(tool.obj, "walkers");
	size_t size = (bpf_map__value_size(map) + 7) & ~7ULL, all = size * bpf_map__max_entries(map);
	char *walkers = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);
	struct walker_head *w = (void *)(walkers + all - size);

	assert_true(walkers != MAP_FAILED);
	w->tid = tid;
	w->since_ns = since_ns;
	munmap(walkers, all);
}

static bool is_excluded(pid_t pid)
{
	pid_t pids[16];
	size_t nr = dusk_unwind_excluded(tool.unwinder, pids, 16);

	for (size_t i = 0; i < nr; i++)
		if (pids[i] == pid)
			return true;
	return false;
}

static void a_process_whose_walk_does_not_end_is_asked_no_more(void **state)
{
	struct victim v = victim_start("getppid"), w = victim_start("getppid");
	struct probe_answers a;
	uint64_t scheduled;

	asker_open(&tool, KIND(BY_RAW), NULL);
	asker_open(&other, KIND(BY_RAW), NULL);
	asker_init(&tool, 0, DUSK_DELIVER_RING);
	asker_init(&other, 0, DUSK_DELIVER_RING);
	asker_attach(&tool, BY_RAW, v.pid, 1);
	asker_attach(&other, BY_RAW, w.pid, 1);
	asker_poll_busy(&tool, BY_RAW);
	assert_false(is_excluded(v.pid));
	set_walker(v.pid, 1);
	asker_poll(&tool, LOOK_MS);
	set_walker(0, 0);
	assert_true(is_excluded(v.pid));
	assert_false(is_excluded(w.pid));
	scheduled = asker_counter(&tool, "scheduled");
	asker_poll(&tool, 500);
	assert_int_equal(asker_counter(&tool, "scheduled"), scheduled);
	asker_silence(&tool);
	victim_end(&v);
	a = asker_tally(&tool, 0);
	assert_int_equal(a.queued, scheduled);
	assert_true(a.refused > 0);
	assert_int_equal(a.error, -EPERM);
	assert_string_equal(dusk_outcome(a.outcome)->name, "excluded");
	assert_int_equal(asker_counter(&tool, "refused-excluded"), a.refused);
	scheduled = asker_counter(&other, "scheduled");
	asker_poll(&other, 1000);
	assert_true(asker_counter(&other, "scheduled") > scheduled);
	assert_int_equal(asker_counter(&other, "refused-excluded"), 0);
	victim_end(&w);
}

/* As one whose start time is another. */
static void watch__who_gets_the_pid_of_an_excluded_process_is_asked(void **state)
{
	struct victim v = victim_start("getppid");
	uint64_t start, before;
	uint32_t pid = v.pid;

	asker_open(&tool, KIND(BY_RAW), NULL);
	asker_init(&tool, 0, DUSK_DELIVER_RING);
	set_walker(v.pid, 1);
	asker_poll(&tool, LOOK_MS);
	set_walker(0, 0);
	assert_true(is_excluded(v.pid));
	assert_int_equal(bpf_map_lookup_elem(map_fd("excluded"), &pid, &start), 0);
	before = start - 1;
	assert_int_equal(bpf_map_update_elem(map_fd("excluded"), &pid, &before, BPF_EXIST), 0);
	asker_attach(&tool, BY_RAW, v.pid, 1);
	asker_poll_for(&tool, 1);
	asker_silence(&tool);
	assert_true(tool.got.nr > 0);
	assert_int_equal(asker_counter(&tool, "refused-excluded"), 0);
	victim_end(&v);
}

static void unwind__excludes_no_process_for_a_walk_of_2_seconds(void **state)
{
	struct victim v = victim_start("read");

	asker_open(&tool, 0, NULL);
	/* As long as the tool does not look for another second, it is not older than that. */
	for (int i = 0; i < 3; i++) {
		set_walker(v.pid, (uint64_t)(live_now_s() * 1e9) - 2500000000ULL);
		asker_poll(&tool, 500);
		set_walker(0, 0);
	}
	assert_false(is_excluded(v.pid));
	victim_end(&v);
}

/* Writes the element of @tid as it reads: the kernel's own word reads as 0, and so the new element has no task work. */
static void lose_task_work(pid_t tid)
{
	struct bpf_map *map = bpf_object__find_map_by_name(tool.obj, "tasks");
	_cleanup_(freep) struct task_head *value = malloc(bpf_map__value_size(map));

	assert_int_equal(bpf_map_lookup_elem(map_fd("tasks"), &tid, value), 0);
	assert_true(value->deferral != 0);
	assert_int_equal(bpf_map_update_elem(map_fd("tasks"), &tid, value, BPF_EXIST), 0);
}

static void a_request_whose_task_work_was_lost_is_closed_within_two_sweeps(void **state)
{
	struct victim v = victim_start("read");
	struct got got;

	victim_wait_asleep(&v, v.pid);
	asker_open(&tool, KIND(BY_RAW), NULL);
	asker_init(&tool, 0, DUSK_DELIVER_RING | DUSK_DELIVER_SUMS | DUSK_DELIVER_CALLBACK);
	asker_attach(&tool, BY_RAW, v.pid, 1);
	victim_feed(&v, 1);
	live_sleep_ms(50);
	victim_wait_asleep(&v, v.pid);
	asker_silence(&tool);
	lose_task_work(v.pid);
	/* The first sweep, which could have come between the request and its task work. */
	assert_true(dusk_unwind_poll(tool.unwinder, 0) >= 0);
	assert_int_equal(asker_counter(&tool, "closed-lost"), 0);
	asker_poll(&tool, 2 * SWEEP_MS + 200);
	assert_int_equal(tool.got.nr, 1);
	got = tool.got.v[0];
	assert_string_equal(dusk_outcome(got.outcome)->name, "work-lost");
	assert_int_equal(got.tid, v.pid);
	assert_int_equal(got.pid, v.pid);
	assert_int_equal(got.stack, 0);
	assert_int_equal(asker_counter(&tool, "closed-lost"), 1);
	assert_int_equal(asker_counter(&tool, "scheduled"), asker_counter(&tool, "walks") + 1);
	asker_attach(&tool, BY_RAW, v.pid, 1);
	victim_feed(&v, 2);
	live_sleep_ms(50);
	asker_silence(&tool);
	victim_end(&v);
	asker_poll(&tool, 100);
	assert_true(tool.got.nr > 1);
	asker_expect(&tool, 1, 0);
}

static void a_request_that_waits_in_a_system_call_is_not_lost(void **state)
{
	struct victim v = victim_start("read");

	victim_wait_asleep(&v, v.pid);
	asker_open(&tool, KIND(BY_RAW), NULL);
	asker_init(&tool, 0, DUSK_DELIVER_RING);
	asker_attach(&tool, BY_RAW, v.pid, 1);
	victim_feed(&v, 1);
	live_sleep_ms(50);
	victim_wait_asleep(&v, v.pid);
	asker_silence(&tool);
	asker_poll(&tool, 3 * SWEEP_MS);
	assert_int_equal(tool.got.nr, 0);
	victim_feed(&v, 1);
	asker_poll_for(&tool, 1);
	assert_int_equal(tool.got.nr, 1);
	assert_int_equal(dusk_outcome(tool.got.v[0].outcome)->kind, DUSK_COMPLETE);
	assert_int_equal(asker_counter(&tool, "closed-lost"), 0);
	victim_end(&v);
}

#define with_tools(f) cmocka_unit_test_teardown(f, close_tools)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		with_tools(a_process_whose_walk_does_not_end_is_asked_no_more),
		with_tools(watch__who_gets_the_pid_of_an_excluded_process_is_asked),
		with_tools(unwind__excludes_no_process_for_a_walk_of_2_seconds),
		with_tools(a_request_whose_task_work_was_lost_is_closed_within_two_sweeps),
		with_tools(a_request_that_waits_in_a_system_call_is_not_lost),
	};

	return ASKER_MAIN(argc, argv, tests);
}
