/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Every table with one place, a reader that never reads: what is lost is counted under its reason, and nothing is wrong.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/shared/defer.h"
#include "asker.h"
#include "victim.h"

#define CALLS 16 /* of even and odd, in victims/paths.c */
#define PATHS 5000
#define TIMES 3
#define KEYS 12

static struct asker tool;

static int close_tool(void **state)
{
	asker_close(&tool);
	return 0;
}

static void run(struct victim *v, enum probe_kind kind)
{
	asker_attach(&tool, kind, v->pid, 1);
	asker_poll_busy(&tool, kind);
	asker_silence(&tool);
	victim_end(v);
	asker_poll(&tool, 100);
}

/* What was scheduled was walked or closed, and each request became one of what there is. */
static void expect_sums(void)
{
	static const char *const closed[] = {"walks",	    "closed-exec", "closed-exiting", "closed-no-walker",
					     "closed-lost", "closed-idle"};
	static const char *const answered[] = {"refused-no-state",  "refused-contended", "refused-again",
					       "refused-no-cookie", "refused-excluded",	 "refused-schedule",
					       "refused-now",	    "walked-now",	 "joined",
					       "afterwards",	    "scheduled"};
	uint64_t ended = 0, all = 0;

	for (size_t i = 0; i < sizeof(closed) / sizeof(closed[0]); i++)
		ended += asker_counter(&tool, closed[i]);
	for (size_t i = 0; i < sizeof(answered) / sizeof(answered[0]); i++)
		all += asker_counter(&tool, answered[i]);
	print_message("%lu requests, %lu scheduled, %lu walks\n", asker_counter(&tool, "requests"),
		      asker_counter(&tool, "scheduled"), asker_counter(&tool, "walks"));
	assert_int_equal(ended, asker_counter(&tool, "scheduled") + asker_counter(&tool, "unasked"));
	assert_int_equal(all, asker_counter(&tool, "requests"));
	assert_true(all > 0);
}

/* No stack but those that the victim has. */
static void expect_no_wrong_stack(void)
{
	for (size_t i = 0; i < tool.got.nr; i++) {
		const char *sentence;

		if (!tool.got.v[i].stack || dusk_outcome(tool.got.v[i].outcome)->kind != DUSK_COMPLETE)
			continue;
		sentence = asker_sentence(&tool, tool.got.v[i].stack);
		if (strcmp(sentence, "leaf inner middle outer main"))
			fail_msg("not a stack of the victim: %s", sentence);
	}
}

static void what_a_ring_of_one_page_cannot_hold_is_counted(void **state)
{
	struct victim v = victim_start("getppid");
	struct probe_answers a;
	uint64_t lost;

	asker_open(&tool, KIND(BY_RAW), NULL);
	assert_int_equal(try_init_sized(&tool, 0, DUSK_DELIVER_RING | DUSK_DELIVER_CALLBACK, 4096, 0), 0);
	asker_attach(&tool, BY_RAW, v.pid, 1);
	live_sleep_ms(500); /* a consumer that does not read */
	asker_silence(&tool);
	victim_end(&v);
	asker_poll(&tool, 100);
	a = asker_tally(&tool, 0);
	lost = dusk_unwind_lost(tool.unwinder, 0, "lost-stacks");
	print_message("%u cookies, %zu stacks came, %lu lost\n", a.queued, tool.got.nr, lost);
	assert_true(lost > 0);
	assert_true(tool.got.nr > 0);
	assert_int_equal(tool.got.nr + lost, a.queued + a.executed);
	assert_int_equal(asker_counter(&tool, "lost-stacks"), lost);
	asker_expect(&tool, 0, 1);
	expect_no_wrong_stack();
	expect_sums();
}

static void a_table_of_one_task_refuses_the_others(void **state)
{
	struct victim v = victim_start("threads");
	struct probe_answers a;

	asker_open(&tool, KIND(BY_RAW), &(struct dusk_unwind_options){.pin = "", .max_tasks = 1});
	asker_init(&tool, 0, DUSK_DELIVER_RING);
	run(&v, BY_RAW);
	a = asker_tally(&tool, 0);
	print_message("%u queued, %u refused\n", a.queued, a.refused);
	assert_true(a.refused > 0);
	assert_int_equal(a.error, -ENOSPC);
	assert_string_equal(dusk_outcome(a.outcome)->name, "no-task-state");
	assert_int_equal(a.refused, asker_counter(&tool, "refused-no-state"));
	assert_true(a.queued > 0);
	asker_expect(&tool, 1, 0);
	expect_sums();
}

static void one_walker_walks_for_all_or_says_that_it_was_busy(void **state)
{
	struct victim v = victim_start("threads");
	uint64_t busy;

	asker_open(&tool, KIND(BY_RAW), &(struct dusk_unwind_options){.pin = "", .max_walkers = 1});
	asker_init(&tool, 0, DUSK_DELIVER_RING);
	run(&v, BY_RAW);
	busy = asker_counter(&tool, "closed-no-walker");
	print_message("%lu times busy\n", busy);
	for (size_t i = 0; i < tool.got.nr; i++)
		busy -= !strcmp(dusk_outcome(tool.got.v[i].outcome)->name, "no-walker");
	assert_int_equal(busy, 0);
	asker_expect(&tool, 1, 0);
	expect_sums();
}

static void modules_beyond_the_table_are_counted_and_no_frame_is_anothers(void **state)
{
	struct victim v = victim_start("getppid");

	asker_open(&tool, KIND(BY_RAW), &(struct dusk_unwind_options){.pin = "", .max_modules = 1});
	asker_init(&tool, 0, DUSK_DELIVER_RING);
	run(&v, BY_RAW);
	print_message("%lu modules, %lu times full\n", asker_counter(&tool, "modules"),
		      asker_counter(&tool, "modules-full"));
	assert_true(asker_counter(&tool, "modules-full") > 0);
	asker_expect(&tool, 1, 0);
	expect_no_wrong_stack();
	expect_sums();
}

/* Programs of their own files, one after the other, more than the table holds. */
static void modules_that_nobody_meets_any_more_make_room(void **state)
{
	char program[128], command[512];
	pid_t pid;

	asker_open(&tool, KIND(BY_RAW), &(struct dusk_unwind_options){.pin = "", .max_modules = 16});
	asker_init(&tool, 0, DUSK_DELIVER_RING);
	for (int i = 0; i < 24; i++) {
		snprintf(program, sizeof(program), "%s/program%d", live_folder, i);
		snprintf(command, sizeof(command), "cp '%s' '%s'", victim_path(), program);
		assert_int_equal(system(command), 0);
		pid = START(program, "getppid");
		asker_attach(&tool, BY_RAW, pid, 1);
		asker_poll_busy(&tool, BY_RAW);
		asker_poll(&tool, 400);
		asker_silence(&tool);
		live_end(pid);
	}
	print_message("%lu modules in a table of 16\n", asker_counter(&tool, "modules"));
	assert_true(asker_counter(&tool, "modules") >= 24);
	assert_int_equal(asker_counter(&tool, "modules-full"), 0);
}

static void whoever_never_polls_disturbs_nobody(void **state)
{
	struct victim v = victim_start("getppid");
	struct asker lazy;

	asker_open(&tool, KIND(BY_RAW), NULL);
	asker_open(&lazy, KIND(BY_RAW), NULL);
	assert_int_equal(try_init_sized(&lazy, 0, DUSK_DELIVER_RING | DUSK_DELIVER_SUMS, 4096, 4), 0);
	asker_init(&tool, 0, DUSK_DELIVER_RING | DUSK_DELIVER_CALLBACK);
	asker_attach(&lazy, BY_RAW, v.pid, 1);
	run(&v, BY_RAW);
	assert_true(dusk_unwind_lost(lazy.unwinder, 0, "lost-stacks") > 0);
	assert_int_equal(dusk_unwind_lost(tool.unwinder, 0, "lost-stacks"), 0);
	asker_expect(&tool, 1, 1);
	expect_no_wrong_stack();
	asker_close(&lazy);
}

/* Which of the victim's paths is stack @id? -1: none of them. */
static int path_of(uint32_t id)
{
	const char *sentence = asker_sentence(&tool, id);
	int path = 0, calls = 0, len;
	char word[64];

	for (; sscanf(sentence, "%63s%n", word, &len) == 1; sentence += len, calls++) {
		if (!strcmp(word, "visit"))
			return calls == CALLS ? path : -1;
		if (strcmp(word, "odd") && strcmp(word, "even"))
			return -1;
		path = path << 1 | !strcmp(word, "odd");
	}
	return -1;
}

struct paths {
	uint32_t count[PATHS], others;
	uint64_t whole, unresolved;
};

static int count_path(void *ctx, const struct dusk_sum *c)
{
	struct paths *p = ctx;
	int path = path_of(c->stack);

	p->unresolved += c->unresolved;
	p->whole += c->stack >> 31;
	if (path < 0 || path >= PATHS)
		p->others += c->count;
	else
		p->count[path] += c->count;
	return 0;
}

/* Nobody polls, so that no fresh table takes the place of the full one. */
static void sums_whose_stacks_have_no_id_have_them_nevertheless(void **state)
{
	char paths[16], times[16];
	struct paths *p;
	pid_t victim;

	snprintf(paths, sizeof(paths), "%d", PATHS);
	snprintf(times, sizeof(times), "%d", TIMES);
	asker_open(&tool, KIND(BY_RAW), &(struct dusk_unwind_options){.pin = "", .stackmap_bits = 10});
	tool.control->keys = KEYS; /* more than a task holds */
	tool.control->again = KEYS - 1;
	assert_int_equal(try_init_sized(&tool, 0, DUSK_DELIVER_SUMS, 16 << 20, 1 << 18), 0);
	assert_int_equal(try_init_sized(&tool, 1, DUSK_DELIVER_SUMS | DUSK_DELIVER_RING, 16 << 20, 1 << 18), 0);
	victim = START(live_victim("paths"), "asks", paths, times);
	live_wait_state(victim, 'T');
	asker_attach(&tool, BY_RAW, victim, 3);
	kill(victim, SIGCONT);
	assert_int_equal(live_wait(victim, 60), 0);
	asker_silence(&tool);
	p = calloc(1, sizeof(*p));
	assert_non_null(p);
	for (uint32_t consumer = 0; consumer < 2; consumer++) {
		if (consumer)
			asker_poll(&tool, 100);
		memset(p, 0, sizeof(*p));
		assert_int_equal(dusk_unwind_sums(tool.unwinder, consumer, count_path, p), 0);
		print_message("%lu rows of stacks without id, %u sums elsewhere\n", p->whole, p->others);
		assert_int_equal(p->unresolved, 0);
		assert_true(p->whole > 1000);
		assert_true(p->others < 20 * KEYS);
		for (int path = 0; path < PATHS; path++)
			assert_int_equal(p->count[path], TIMES * KEYS);
		assert_int_equal(dusk_unwind_lost(tool.unwinder, consumer, "lost-stacks"), 0);
		assert_int_equal(dusk_unwind_lost(tool.unwinder, consumer, "lost-sums"), 0);
	}
	free(p);
}

/* As if each CPU had given out all cookies but @left. */
static void use_up_cookies(uint64_t left)
{
	int fd = bpf_object__find_map_fd_by_name(tool.obj, "cookies"), cpus = libbpf_num_possible_cpus();
	uint64_t *given = calloc(cpus, sizeof(*given));
	uint32_t zero = 0, bits = 0;

	assert_non_null(given);
	while ((cpus - 1) >> bits)
		bits++;
	for (int cpu = 0; cpu < cpus; cpu++)
		given[cpu] = (1ULL << (64 - DEFER_BITS - bits)) - 1 - left;
	assert_int_equal(bpf_map_update_elem(fd, &zero, given, BPF_ANY), 0);
	free(given);
}

static void who_asks_when_all_cookies_are_given_out_is_refused_and_none_is_given_twice(void **state)
{
	struct victim v = victim_start("read");
	uint32_t cpus = libbpf_num_possible_cpus();
	struct probe_answers a;

	victim_wait_asleep(&v, v.pid);
	asker_open(&tool, KIND(BY_RAW), NULL);
	asker_init(&tool, 0, DUSK_DELIVER_RING);
	use_up_cookies(3);
	asker_attach(&tool, BY_RAW, v.pid, 1);
	victim_feed(&v, 100);
	victim_wait_fed(&v);
	asker_silence(&tool);
	victim_feed(&v, 1);
	victim_wait_fed(&v);
	a = asker_tally(&tool, 0);
	print_message("%u queued, %u refused\n", a.queued, a.refused);
	assert_true(a.queued >= 3 && a.queued <= 3 * cpus);
	assert_int_equal(a.queued + a.refused, 100);
	assert_int_equal(a.error, -EOVERFLOW);
	assert_string_equal(dusk_outcome(a.outcome)->name, "no-cookie");
	asker_expect(&tool, 1, 0);
	expect_sums();
	expect_no_wrong_stack();
	victim_end(&v);
}

#define with_tool(f) cmocka_unit_test_teardown(f, close_tool)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		with_tool(what_a_ring_of_one_page_cannot_hold_is_counted),
		with_tool(a_table_of_one_task_refuses_the_others),
		with_tool(one_walker_walks_for_all_or_says_that_it_was_busy),
		with_tool(modules_beyond_the_table_are_counted_and_no_frame_is_anothers),
		with_tool(modules_that_nobody_meets_any_more_make_room),
		with_tool(whoever_never_polls_disturbs_nobody),
		with_tool(sums_whose_stacks_have_no_id_have_them_nevertheless),
		with_tool(who_asks_when_all_cookies_are_given_out_is_refused_and_none_is_given_twice),
	};

	return ASKER_MAIN(argc, argv, tests);
}
