/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tools that know nothing of each other: do they share one walk for each visit to the kernel, does each get its stacks, and does
 * one that dies leave the others alone?
 */
#include <bpf/bpf.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "core/shared/defer.h"
#include "core/shared/registry.h"
#include "asker.h"
#include "victim.h"

#define ALL_WAYS (DUSK_DELIVER_RING | DUSK_DELIVER_SUMS | DUSK_DELIVER_CALLBACK)

static struct asker a, b;

static int close_tools(void **state)
{
	asker_close(&a);
	asker_close(&b);
	return 0;
}

/* What is below @folder, but for "." and "..". */
static int entries_of(const char *folder)
{
	DIR *d = opendir(folder);
	int nr = 0;

	while (d && readdir(d))
		nr++;
	if (d)
		closedir(d);
	return nr - 2;
}

static void open_both(uint32_t kinds, const struct dusk_unwind_options *o)
{
	asker_open(&a, kinds, o);
	asker_open(&b, kinds, o);
	assert_null(dusk_unwind_unshared_reason(a.unwinder));
	assert_null(dusk_unwind_unshared_reason(b.unwinder));
}

static void silence_both(void)
{
	asker_silence(&a);
	asker_silence(&b);
	for (int i = 0; i < 3; i++) {
		asker_poll(&a, 50);
		asker_poll(&b, 50);
	}
}

/* Of a tool that works alone. */
static void expect_all_walked(const struct asker *t)
{
	assert_int_equal(asker_counter(t, "scheduled") + asker_counter(t, "unasked"), asker_counter(t, "walks"));
}

/* Everything that was scheduled, by whichever tool, was walked or closed, and is counted once. */
static void expect_one_walk_each(void)
{
	uint64_t scheduled =
		asker_counter(&a, "scheduled") + asker_counter(&b, "scheduled") + asker_counter(&b, "unasked");
	uint64_t walks = asker_counter(&b, "walks");
	uint64_t closed = asker_counter(&b, "closed-exec") + asker_counter(&b, "closed-exiting") +
			  asker_counter(&b, "closed-no-walker") + asker_counter(&b, "closed-lost") +
			  asker_counter(&b, "closed-idle");

	print_message("%lu + %lu scheduled, %lu unasked, %lu walks, %lu closed\n", asker_counter(&a, "scheduled"),
		      asker_counter(&b, "scheduled"), asker_counter(&b, "unasked"), walks, closed);
	assert_int_equal(scheduled, walks + closed);
	assert_int_equal(asker_counter(&a, "walks"), walks);
}

static void two_tools_share_one_walk(void **state)
{
	struct victim v = victim_start("read");

	victim_wait_asleep(&v, v.pid);
	open_both(KIND(BY_RAW), NULL);
	asker_init(&a, 0, DUSK_DELIVER_RING);
	asker_init(&b, 7, DUSK_DELIVER_RING);
	asker_attach(&a, BY_RAW, v.pid, 1);
	asker_attach(&b, BY_RAW, v.pid, 1 << 7);
	victim_feed(&v, 100);
	victim_wait_fed(&v);
	asker_silence(&a);
	asker_silence(&b);
	victim_feed(&v, 1);
	asker_poll_for(&a, 100);
	asker_poll_for(&b, 100);
	expect_one_walk_each();
	assert_int_equal(asker_counter(&a, "walks"), 100);
	assert_int_equal(a.got.nr, 100);
	assert_int_equal(b.got.nr, 100);
	for (size_t i = 0; i < b.got.nr; i++) {
		struct got other;

		assert_int_equal(asker_find(&a, b.got.v[i].cookie, 0, &other), 1);
		assert_int_equal(other.stack, b.got.v[i].stack);
	}
	victim_end(&v);
}

#define COOKIE_BEFORE (~0ULL >> DEFER_BITS) /* the last of all */

static void see_called(void *ctx, const struct probe_key *k, const struct probe_answers *said)
{
	if (k->cookie == COOKIE_BEFORE)
		*(uint32_t *)ctx += said->done;
}

/*
 * A callback of a tool, which has not been done yet, waits when the other tool's walk brings the next one. @behind: since the tool has
 * asked for that. Returns how often it was done.
 */
static uint32_t leave_answer(bool behind)
{
	struct victim v = victim_start("read");
	uint32_t called = 0;

	victim_wait_asleep(&v, v.pid);
	open_both(KIND(BY_RAW), NULL);
	asker_init(&a, 0, DUSK_DELIVER_CALLBACK);
	asker_init(&b, 0, DUSK_DELIVER_RING | DUSK_DELIVER_CALLBACK);
	asker_attach(&a, BY_RAW, v.pid, 1);
	asker_attach(&b, BY_RAW, v.pid, 1); /* it asks last, and so its task work is the first, and walks */
	a.control->left_behind = behind;
	a.control->left_answer = COOKIE_BEFORE;
	victim_feed(&v, 2);
	victim_wait_fed(&v);
	silence_both();
	victim_feed(&v, 1);
	asker_poll_for(&b, 2);
	victim_end(&v);
	assert_int_equal(a.control->left_answer, 0);
	assert_int_equal(asker_tally(&a, 0).queued, 2);
	asker_answers(&a, see_called, &called);
	return called;
}

static void share__an_answer_that_waits_is_given_before_the_next(void **state)
{
	assert_int_equal(leave_answer(false), 1);
	assert_int_equal(dusk_unwind_lost(a.unwinder, 0, "lost-stacks"), 0);
}

static void share__an_answer_that_gives_way_to_the_next_is_counted(void **state)
{
	assert_int_equal(leave_answer(true), 0);
	assert_int_equal(dusk_unwind_lost(a.unwinder, 0, "lost-stacks"), 1);
}

#define MANY_BITS 20 /* more than any machine's CPUs need */

/* If two tools disagreed, one's cookies could be another's. */
static void cookies_are_made_as_the_first_tool_has_said(void **state)
{
	struct victim v = victim_start("read");
	struct registry *r = malloc(sizeof(*r));
	uint32_t zero = 0;
	int fd;

	assert_non_null(r);
	victim_wait_asleep(&v, v.pid);
	asker_open(&a, KIND(BY_RAW), NULL);
	fd = bpf_map__fd(bpf_object__find_map_by_name(a.obj, ".bss.registry"));
	assert_int_equal(bpf_map_lookup_elem(fd, &zero, r), 0);
	r->cpu_bits = MANY_BITS;
	assert_int_equal(bpf_map_update_elem(fd, &zero, r, BPF_ANY), 0);
	asker_open(&b, KIND(BY_RAW), NULL);
	assert_int_equal(bpf_map_lookup_elem(fd, &zero, r), 0);
	assert_int_equal(r->cpu_bits, MANY_BITS);
	free(r);
	asker_init(&b, 0, DUSK_DELIVER_RING);
	asker_attach(&b, BY_RAW, v.pid, 1);
	victim_feed(&v, 10);
	victim_wait_fed(&v);
	asker_silence(&b);
	victim_feed(&v, 1);
	asker_poll_for(&b, 10);
	for (size_t i = 0; i < b.got.nr; i++)
		assert_true(b.got.v[i].cookie >> MANY_BITS >= 1);
	victim_end(&v);
}

static void ask_in_all_ways(struct victim *v, enum probe_kind kind, int ms)
{
	open_both(KIND(kind), NULL);
	asker_init(&a, 0, ALL_WAYS);
	asker_init(&b, 0, ALL_WAYS);
	asker_init(&b, 3, DUSK_DELIVER_CALLBACK);
	asker_attach(&a, kind, v->pid, 1);
	asker_attach(&b, kind, v->pid, 1 | 1 << 3);
	for (int i = 0; i < ms / 20; i++) {
		asker_poll(&a, 10);
		asker_poll(&b, 10);
	}
	silence_both();
	victim_end(v);
	silence_both();
	asker_expect(&a, 1, 1);
	asker_expect(&b, 1, 1 | 1 << 3);
	expect_one_walk_each();
}

static void callbacks_of_both_tools_are_called_once_a_cookie(void **state)
{
	struct victim v = victim_start("threads");

	ask_in_all_ways(&v, BY_RAW, 500);
}

static void callbacks_are_called_once_a_cookie_when_timers_ask(void **state)
{
	struct victim v = victim_start("threads");

	open_both(KIND(BY_TICK) | KIND(BY_SWITCH), NULL);
	asker_init(&a, 0, ALL_WAYS);
	asker_init(&b, 0, ALL_WAYS);
	assert_int_equal(try_attach_ticks(&a, 9997, v.pid, 1), 0);
	assert_int_equal(try_attach_ticks(&b, 7919, v.pid, 1), 0);
	asker_attach(&a, BY_SWITCH, v.pid, 1);
	asker_attach(&b, BY_SWITCH, v.pid, 1);
	for (int i = 0; i < 50; i++) {
		asker_poll(&a, 10);
		asker_poll(&b, 10);
	}
	silence_both();
	victim_end(&v);
	silence_both();
	asker_expect(&a, 1, 1);
	asker_expect(&b, 1, 1);
	expect_one_walk_each();
}

/*
 * Both tools ask at each system call; and then tools ask at each write to what the programs found at @address of struct
 * probe_control: around task work, around a walk, or when one of several consumers has got its stack.
 */
static void ask_at_writes(size_t address, bool first, bool second)
{
	struct victim v = victim_start("getppid");

	open_both(KIND(BY_RAW) | KIND(BY_POINT), NULL);
	asker_init(&a, 0, ALL_WAYS);
	asker_init(&b, 0, ALL_WAYS);
	asker_init(&b, 1, DUSK_DELIVER_RING);
	asker_attach(&a, BY_RAW, v.pid, 1);
	asker_attach(&b, BY_RAW, v.pid, 1);
	if (first)
		asker_attach_write(&a, &a, address, v.pid, 1);
	if (second)
		asker_attach_write(&b, &a, address, v.pid, 1 | 2);
	asker_poll_busy(first ? &a : &b, BY_POINT);
	asker_silence(&a);
	asker_silence(&b);
	victim_end(&v);
	silence_both();
	asker_expect(&a, 1, 1);
	asker_expect(&b, 3, 1);
	expect_one_walk_each();
}

static void one_who_asks_between_the_work_of_two_tools_confuses_nobody(void **state)
{
	ask_at_writes(offsetof(struct probe_control, trace_nesting), true, false);
}

static void another_who_asks_between_the_work_of_two_tools_confuses_nobody(void **state)
{
	ask_at_writes(offsetof(struct probe_control, trace_nesting), false, true);
}

static void both_who_ask_between_the_work_of_two_tools_confuse_nobody(void **state)
{
	ask_at_writes(offsetof(struct probe_control, trace_nesting), true, true);
}

static void both_who_ask_around_a_walk_confuse_nobody(void **state)
{
	ask_at_writes(offsetof(struct probe_control, walker), true, true);
}

static void one_who_asks_while_others_are_served_confuses_nobody(void **state)
{
	ask_at_writes(offsetof(struct probe_control, pending), true, false);
}

static void both_who_ask_while_others_are_served_confuse_nobody(void **state)
{
	ask_at_writes(offsetof(struct probe_control, pending), true, true);
}

static uint32_t slots_taken(void)
{
	uint32_t nr = 0;
	struct asker c;

	asker_open(&c, 0, NULL);
	while (nr < PROBE_CONSUMERS && !try_init(&c, nr, DUSK_DELIVER_SUMS))
		nr++;
	asker_close(&c);
	return PROBE_CONSUMERS - nr;
}

static void a_killed_tool_takes_nothing_from_the_others(void **state)
{
	struct victim v = victim_start("threads");
	pid_t child[3];

	for (int i = 0; i < 3; i++)
		child[i] = asker_spawn(i ? BY_TICK : BY_RAW, v.pid);
	open_both(KIND(BY_RAW), NULL);
	asker_init(&a, 0, ALL_WAYS);
	asker_init(&b, 0, ALL_WAYS);
	asker_attach(&a, BY_RAW, v.pid, 1);
	asker_attach(&b, BY_RAW, v.pid, 1);
	assert_int_equal(slots_taken(), 5);
	for (int i = 0; i < 45; i++) {
		if (i % 15 == 7)
			live_end(child[i / 15]);
		asker_poll(&a, 10);
		asker_poll(&b, 10);
	}
	silence_both();
	victim_end(&v);
	silence_both();
	asker_expect(&a, 1, 1);
	asker_expect(&b, 1, 1);
	assert_int_equal(dusk_unwind_lost(a.unwinder, 0, "lost-stacks"), 0);
	assert_int_equal(dusk_unwind_lost(b.unwinder, 0, "lost-stacks"), 0);
	assert_int_equal(slots_taken(), 2);
}

static void what_the_only_tool_left_when_it_was_killed_is_cleared_away(void **state)
{
	struct victim v = victim_start("threads");
	pid_t child = asker_spawn(BY_TICK, v.pid);

	live_sleep_ms(200);
	live_end(child);
	assert_true(entries_of(asker_pin) == 1);
	assert_int_equal(slots_taken(), 0);
	assert_int_equal(access(asker_pin, F_OK), -1);
	asker_open(&a, KIND(BY_TICK), NULL);
	assert_null(dusk_unwind_unshared_reason(a.unwinder));
	asker_init(&a, 0, ALL_WAYS);
	asker_attach(&a, BY_TICK, v.pid, 1);
	asker_poll(&a, 300);
	asker_silence(&a);
	victim_end(&v);
	asker_poll(&a, 100);
	asker_expect(&a, 1, 1);
	expect_all_walked(&a);
}

static void the_last_tool_leaves_nothing_behind(void **state)
{
	open_both(0, NULL);
	asker_close(&a);
	assert_int_equal(entries_of(asker_pin), 1);
	asker_open(&a, 0, NULL);
	assert_null(dusk_unwind_unshared_reason(a.unwinder));
	asker_close(&b);
	asker_close(&a);
	assert_int_equal(access(asker_pin, F_OK), -1);
}

static void expect_private(const char *because)
{
	const char *reason = dusk_unwind_unshared_reason(a.unwinder);

	if (!reason || !strstr(reason, because))
		fail_msg("private because %s, and not %s", reason ? reason : "of nothing", because);
}

static void a_folder_that_others_can_write_to_is_refused(void **state)
{
	struct victim v = victim_start("threads");

	rmdir(asker_pin);
	assert_int_equal(mkdir(asker_pin, 0700), 0);
	assert_int_equal(chmod(asker_pin, 0777), 0);
	asker_open(&a, KIND(BY_TICK), NULL);
	expect_private(asker_pin);
	asker_init(&a, 0, ALL_WAYS);
	asker_attach(&a, BY_TICK, v.pid, 1);
	asker_poll(&a, 300);
	asker_silence(&a);
	victim_end(&v);
	asker_poll(&a, 100);
	asker_expect(&a, 1, 1);
	assert_int_equal(entries_of(asker_pin), 0);
	asker_close(&a);
	assert_int_equal(rmdir(asker_pin), 0);
}

static void a_folder_of_another_user_is_refused(void **state)
{
	rmdir(asker_pin);
	assert_int_equal(mkdir(asker_pin, 0700), 0);
	assert_int_equal(chown(asker_pin, 12345, 12345), 0);
	asker_open(&a, 0, NULL);
	expect_private(asker_pin);
	assert_int_equal(rmdir(asker_pin), 0);
}

static void what_is_not_on_bpffs_is_refused(void **state)
{
	asker_open(&a, 0, &(struct dusk_unwind_options){.pin = "/tmp/dusk-no-bpffs"});
	expect_private("/tmp/dusk-no-bpffs");
	assert_int_equal(access("/tmp/dusk-no-bpffs", F_OK), -1);
}

static void who_does_not_want_to_share_works_alone(void **state)
{
	struct victim v = victim_start("getppid");

	asker_open(&a, KIND(BY_RAW), &(struct dusk_unwind_options){.pin = ""});
	asker_open(&b, KIND(BY_RAW), NULL);
	expect_private("");
	asker_init(&a, 0, ALL_WAYS);
	asker_init(&b, 0, ALL_WAYS);
	asker_attach(&a, BY_RAW, v.pid, 1);
	asker_attach(&b, BY_RAW, v.pid, 1);
	asker_poll_for(&a, 1);
	asker_poll_for(&b, 1);
	asker_silence(&a);
	asker_silence(&b);
	victim_end(&v);
	silence_both();
	asker_expect(&a, 1, 1);
	asker_expect(&b, 1, 1);
	expect_all_walked(&a);
	expect_all_walked(&b);
}

#define with_tools(f) cmocka_unit_test_teardown(f, close_tools)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		with_tools(two_tools_share_one_walk),
		with_tools(share__an_answer_that_waits_is_given_before_the_next),
		with_tools(share__an_answer_that_gives_way_to_the_next_is_counted),
		with_tools(cookies_are_made_as_the_first_tool_has_said),
		with_tools(callbacks_of_both_tools_are_called_once_a_cookie),
		with_tools(callbacks_are_called_once_a_cookie_when_timers_ask),
		with_tools(one_who_asks_between_the_work_of_two_tools_confuses_nobody),
		with_tools(another_who_asks_between_the_work_of_two_tools_confuses_nobody),
		with_tools(both_who_ask_between_the_work_of_two_tools_confuse_nobody),
		with_tools(both_who_ask_around_a_walk_confuse_nobody),
		with_tools(one_who_asks_while_others_are_served_confuses_nobody),
		with_tools(both_who_ask_while_others_are_served_confuse_nobody),
		with_tools(a_killed_tool_takes_nothing_from_the_others),
		with_tools(what_the_only_tool_left_when_it_was_killed_is_cleared_away),
		with_tools(the_last_tool_leaves_nothing_behind),
		with_tools(a_folder_that_others_can_write_to_is_refused),
		with_tools(a_folder_of_another_user_is_refused),
		with_tools(what_is_not_on_bpffs_is_refused),
		with_tools(who_does_not_want_to_share_works_alone),
	};

	return ASKER_MAIN(argc, argv, tests);
}
