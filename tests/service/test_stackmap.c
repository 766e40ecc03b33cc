/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A reader of the stackmap, as anybody may write it on <dusk/stackmap.h>: what does it see while programs put stacks,
 * and when may it reset?
 */
#include <bpf/bpf.h>
#include <dusk/stackmap.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>
#include "base/map.h"
#include "core/shared/registry.h"
#include "asker.h"
#include "victim.h"

#define CALLS 16 /* of even and odd, in victims/paths.c */
#define PATHS "4000"
#define SECONDS 30

static struct asker tool;

static int close_tool(void **state)
{
	asker_close(&tool);
	return 0;
}

/* A stack that was met, as it was then. */
struct known {
	const uint64_t *frame;
	uint32_t nr;
	uint64_t *copy;
};

struct reader {
	struct dusk_stackmap *map;
	struct map by_id; /* -> index */
	struct vec(struct known) known;
	size_t passes;
};

static void reader_open(struct reader *r)
{
	struct dusk_error err;

	memset(r, 0, sizeof(*r));
	if (dusk_stackmap_open(&r->map, asker_pin, &err))
		fail_msg("%s", err.text);
}

static void reader_close(struct reader *r)
{
	for (size_t i = 0; i < r->known.nr; i++)
		free(r->known.v[i].copy);
	vec_done(&r->known);
	map_done(&r->by_id);
	dusk_stackmap_close(r->map);
}

static void meet(struct reader *r, const struct dusk_stack *s)
{
	struct known k = {s->frame, s->nr, malloc(s->nr * sizeof(uint64_t))};
	bool fresh;
	uint32_t *i = map_at(&r->by_id, s->id, &fresh);

	assert_non_null(i);
	assert_non_null(k.copy);
	if (!fresh) {
		free(k.copy);
		assert_int_equal(r->known.v[*i].nr, s->nr);
		assert_ptr_equal(r->known.v[*i].frame, s->frame);
		return;
	}
	memcpy(k.copy, s->frame, s->nr * sizeof(uint64_t));
	*i = r->known.nr;
	assert_int_equal(vec_push(&r->known, k), 0);
}

/* All that are there: those that were there before, and each once. */
static void pass(struct reader *r)
{
	struct dusk_stack stack;
	uint64_t cursor = 0;
	struct map met = {0};
	bool fresh;

	while (dusk_stackmap_next(r->map, &cursor, &stack)) {
		assert_non_null(map_at(&met, stack.id, &fresh));
		assert_true(fresh);
		assert_true(stack.nr >= 1 && stack.refs >= 1);
		meet(r, &stack);
	}
	assert_int_equal(met.nr, r->known.nr);
	for (size_t i = 0; i < r->known.nr; i++)
		assert_memory_equal(r->known.v[i].frame, r->known.v[i].copy, r->known.v[i].nr * sizeof(uint64_t));
	map_done(&met);
	r->passes++;
}

/* The victim's stacks among those known: each a path, whole. */
static size_t paths_of(const struct reader *r)
{
	size_t paths = 0;
	char name[256];

	for (size_t i = 0; i < r->known.nr; i++) {
		const struct known *k = &r->known.v[i];
		uint32_t calls = 0;

		for (; calls < k->nr; calls++) {
			dusk_stackmap_name(r->map, k->copy[calls], name, sizeof(name));
			if (strncmp(name, "even+", 5) && strncmp(name, "odd+", 4))
				break;
		}
		assert_true(!calls || calls == CALLS);
		assert_true(!calls || !strncmp(name, "visit+", 6));
		paths += calls == CALLS;
	}
	return paths;
}

/* The references of all stacks. */
static uint64_t all_references(struct dusk_stackmap *map)
{
	struct dusk_stack stack;
	uint64_t cursor = 0, sum = 0;

	while (dusk_stackmap_next(map, &cursor, &stack))
		sum += stack.refs;
	return sum;
}

/*
 * Requests that are answered by a walk, by the one on its way, by the one just done, at once or by what is remembered.
 */
static void references_are_events_however_they_got_their_stack(void **state)
{
	struct victim v = victim_start("read");
	struct dusk_stackmap_stat stat;
	struct probe_answers a;
	struct reader r;
	uint64_t events;

	victim_wait_asleep(&v, v.pid);
	asker_open(&tool, KIND(BY_RAW) | KIND(BY_SWITCH), NULL);
	asker_init(&tool, 0, DUSK_DELIVER_RING);
	reader_open(&r);
	tool.control->again = 2;
	asker_attach(&tool, BY_SWITCH, v.pid, 1);
	victim_feed(&v, 50);
	victim_wait_fed(&v);
	asker_attach(&tool, BY_RAW, v.pid, 1);
	tool.control->known = 1;
	victim_feed(&v, 500);
	victim_wait_fed(&v);
	tool.control->known = 0;
	victim_feed(&v, 50);
	victim_wait_fed(&v);
	asker_silence(&tool);
	victim_feed(&v, 1); /* what is due is walked */
	victim_wait_fed(&v);
	a = asker_tally(&tool, 0);
	events = (uint64_t)a.queued + a.pending + a.executed;
	print_message("%u walks, %u joined, %u answered at once: %lu known, %lu immediate\n", a.queued, a.pending,
		      a.executed, asker_counter(&tool, "cached"), asker_counter(&tool, "walked-nofault"));
	assert_true(a.queued > 20 && a.pending > 20 && asker_counter(&tool, "cached") > 100);
	assert_int_equal(all_references(r.map), events);
	assert_int_equal(dusk_stackmap_stat(r.map, &stat), 0);
	assert_int_equal(stat.successes, events);
	reader_close(&r);
	victim_end(&v);
}

/* Behind the walk, on the way to user mode, the stack is known: that is a reference, too. */
static void stackmap__an_executed_request_is_a_reference(void **state)
{
	struct victim v = victim_start("read");
	struct probe_answers a;
	struct reader r;

	victim_wait_asleep(&v, v.pid);
	asker_open(&tool, KIND(BY_RAW) | KIND(BY_RETURN), NULL);
	asker_init(&tool, 0, DUSK_DELIVER_RING);
	reader_open(&r);
	tool.control->again = 2;
	asker_attach(&tool, BY_RAW, v.pid, 1);
	asker_attach(&tool, BY_RETURN, v.pid, 1);
	victim_feed(&v, 100);
	victim_wait_fed(&v);
	asker_silence(&tool);
	victim_feed(&v, 1); /* what is due is walked */
	victim_wait_fed(&v);
	a = asker_tally(&tool, 0);
	if (a.executed >= 20)
		assert_int_equal(all_references(r.map), a.queued + a.pending + a.executed);
	reader_close(&r);
	victim_end(&v);
	if (a.executed < 20) {
		print_message("SKIP: %u requests came behind their walk\n", a.executed);
		skip();
	}
}

/* How many stacks CPUs count references of, beside the stacks' own count? */
static size_t counted_beside(void)
{
	struct bpf_map *map = bpf_object__find_map_by_name(tool.obj, ".bss.registry");
	struct registry *r = malloc(sizeof(*r));
	uint32_t zero = 0;
	size_t nr = 0;

	assert_non_null(r);
	assert_int_equal(bpf_map_lookup_elem(bpf_map__fd(map), &zero, r), 0);
	for (size_t i = 0; i < AGAIN_ROWS * AGAIN_WAYS; i++)
		nr += r->again[i / AGAIN_WAYS].count[i % AGAIN_WAYS] != 0;
	free(r);
	return nr;
}

/* What CPUs have counted is added up, and not left to the next stack with the same id. */
static void references_stay_when_a_new_epoch_begins(void **state)
{
	struct victim v = victim_start("read");
	uint64_t cursor = 1ULL << 32, sum = 0; /* epoch 1, from its beginning */
	struct dusk_stack stack;
	struct probe_answers a;
	struct reader r;

	victim_wait_asleep(&v, v.pid);
	asker_open(&tool, KIND(BY_RAW), NULL);
	asker_init(&tool, 0, DUSK_DELIVER_RING);
	reader_open(&r);
	assert_int_equal(dusk_stackmap_reset(r.map, false, NULL), 0);
	tool.control->known = 1;
	asker_attach(&tool, BY_RAW, v.pid, 1);
	victim_feed(&v, 500);
	victim_wait_fed(&v);
	asker_silence(&tool);
	victim_feed(&v, 1);
	victim_wait_fed(&v);
	a = asker_tally(&tool, 0);
	assert_true(counted_beside() > 0);
	assert_int_equal(all_references(r.map), (uint64_t)a.queued + a.pending + a.executed); /* and it has the table */
	assert_int_equal(dusk_stackmap_reset(r.map, false, NULL), 0);
	assert_int_equal(counted_beside(), 0);
	while (dusk_stackmap_next(r.map, &cursor, &stack))
		sum += stack.refs;
	assert_int_equal(sum, (uint64_t)a.queued + a.pending + a.executed);
	reader_close(&r);
	victim_end(&v);
}

/* Ask three times in the call that the victim sleeps in: one walk is due, and two joined it. */
static void ask_in_a_call(struct victim *v)
{
	__atomic_store_n(&tool.control->tgid, v->pid, __ATOMIC_RELEASE);
	victim_feed(v, 1);
	victim_wait_fed(v);
	asker_silence(&tool);
}

static void requests_that_got_no_stack_are_no_references_of_the_next_one(void **state)
{
	struct victim v = victim_start("read");
	struct reader r;

	victim_wait_asleep(&v, v.pid);
	asker_open(&tool, KIND(BY_RAW), NULL);
	asker_init(&tool, 0, DUSK_DELIVER_RING);
	reader_open(&r);
	tool.control->again = 2;
	asker_attach(&tool, BY_RAW, v.pid, 1);
	ask_in_a_call(&v);
	assert_int_equal(dusk_unwind_remove_consumer(tool.unwinder, 0), 0);
	victim_feed(&v, 1); /* nobody waits any more */
	victim_wait_fed(&v);
	assert_int_equal(asker_counter(&tool, "closed-idle"), 1);
	asker_init(&tool, 0, DUSK_DELIVER_RING);
	ask_in_a_call(&v);
	victim_feed(&v, 1);
	victim_wait_fed(&v);
	assert_int_equal(asker_counter(&tool, "walks"), 1);
	assert_int_equal(all_references(r.map), 3);
	reader_close(&r);
	victim_end(&v);
}

static pid_t start_paths(void)
{
	pid_t victim = START(live_victim("paths"), "asks", PATHS, "1");

	live_wait_state(victim, 'T');
	return victim;
}

static void a_reader_sees_each_stack_whole_while_the_stackmap_grows(void **state)
{
	pid_t victim = start_paths();
	struct dusk_stackmap_stat stat;
	struct dusk_stacks *all;
	struct reader r;
	size_t before;

	asker_open(&tool, KIND(BY_RAW), NULL);
	asker_init(&tool, 0, DUSK_DELIVER_SUMS);
	asker_attach(&tool, BY_RAW, victim, 1);
	reader_open(&r);
	pass(&r);
	before = r.known.nr;
	kill(victim, SIGCONT);
	for (double end = live_now_s() + SECONDS; r.known.nr < (size_t)atoi(PATHS);) {
		assert_true(live_now_s() < end);
		pass(&r);
	}
	assert_int_equal(live_wait(victim, SECONDS), 0);
	pass(&r);
	print_message("%zu stacks before, %zu after, in %zu passes\n", before, r.known.nr, r.passes);
	assert_int_equal(paths_of(&r), atoi(PATHS));
	assert_int_equal(dusk_stackmap_stat(r.map, &stat), 0);
	assert_int_equal(stat.entries, r.known.nr);
	assert_int_equal(stat.full + stat.contended, 0);
	assert_int_equal(dusk_stackmap_copy(&all, r.map), 0);
	assert_int_equal(all->nr, r.known.nr);
	dusk_stacks_free(all);
	reader_close(&r);
}

static void what_a_reader_has_stays_when_a_new_epoch_begins(void **state)
{
	pid_t victim = start_paths();
	struct dusk_stackmap_stat stat;
	struct dusk_stack first, next;
	uint64_t cursor = 0, anew = 0;
	const uint64_t *frame;
	size_t nr = 1;
	struct reader r;
	uint32_t len;

	asker_open(&tool, KIND(BY_RAW), NULL);
	asker_init(&tool, 0, DUSK_DELIVER_SUMS);
	asker_attach(&tool, BY_RAW, victim, 1);
	kill(victim, SIGCONT);
	assert_int_equal(live_wait(victim, SECONDS), 0);
	asker_silence(&tool);
	reader_open(&r);
	pass(&r);
	assert_true(dusk_stackmap_next(r.map, &cursor, &first));
	assert_int_equal(dusk_stackmap_reset(r.map, false, NULL), 0);
	while (dusk_stackmap_next(r.map, &cursor, &next)) /* the old one, to its end */
		nr++;
	assert_int_equal(nr, r.known.nr);
	assert_int_equal(dusk_stackmap_frames(r.map, first.id, &frame, &len), 0);
	assert_int_equal(len, first.nr);
	assert_false(dusk_stackmap_next(r.map, &anew, &next));
	assert_int_equal(dusk_stackmap_stat(r.map, &stat), 0);
	assert_int_equal(stat.epoch, 1);
	assert_int_equal(stat.entries, 0);
	assert_int_equal(dusk_unwind_frames(tool.unwinder, first.id, &frame, &len), 0);
	assert_memory_equal(frame, first.frame, len * sizeof(*frame));
	reader_close(&r);
}

static void a_strict_reset_is_refused_while_there_is_a_consumer(void **state)
{
	struct dusk_stackmap *own;
	struct dusk_error err;
	struct reader r;

	asker_open(&tool, KIND(BY_RAW), NULL);
	reader_open(&r);
	assert_int_equal(dusk_stackmap_of(&own, tool.unwinder), 0);
	assert_int_equal(dusk_stackmap_reset(r.map, true, &err), 0);
	assert_int_equal(dusk_stackmap_reset(own, true, &err), 0);
	asker_init(&tool, 0, DUSK_DELIVER_RING);
	assert_int_equal(dusk_stackmap_reset(r.map, true, &err), -EBUSY);
	assert_string_equal(err.text, "cannot reset the stackmap: something records");
	assert_int_equal(dusk_stackmap_reset(own, true, &err), -EBUSY);
	assert_int_equal(dusk_stackmap_reset(r.map, false, &err), 0);
	assert_int_equal(dusk_unwind_remove_consumer(tool.unwinder, 0), 0);
	asker_poll(&tool, 1500); /* it takes in what the resets have put aside */
	assert_int_equal(dusk_stackmap_reset(r.map, true, &err), 0);
	dusk_stackmap_close(own);
	reader_close(&r);
}

static int reset_for_ever(void)
{
	struct dusk_stackmap *m;
	int ret = dusk_stackmap_open(&m, asker_pin, NULL);

	while (!ret || ret == -EBUSY)
		ret = dusk_stackmap_reset(m, false, NULL);
	return 1;
}

static void a_strict_reset_is_refused_while_another_one_runs(void **state)
{
	double end = live_now_s() + SECONDS;
	bool refused = false, done = false;
	struct dusk_error err;
	struct reader r;
	pid_t other;

	asker_open(&tool, KIND(BY_RAW), NULL);
	reader_open(&r);
	other = fork();
	assert_true(other >= 0);
	if (!other) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		_exit(reset_for_ever());
	}
	while (!refused || !done) {
		int ret = dusk_stackmap_reset(r.map, true, &err);

		assert_true(!ret || ret == -EBUSY);
		done |= !ret;
		refused |= ret && strstr(err.text, "another reset is under way");
		asker_poll(&tool, 1);
		assert_true(live_now_s() < end);
	}
	live_end(other);
	reader_close(&r);
}

/* It holds nothing up, and its consumer is none any more; the next tool clears away what it left. */
static void a_tool_that_was_killed_leaves_a_stackmap_that_can_be_read_and_reset(void **state)
{
	struct victim v = victim_start("getppid");
	pid_t killed = asker_spawn(BY_RAW, v.pid);
	struct dusk_stackmap_stat stat;
	struct dusk_error err;
	struct reader r;

	reader_open(&r);
	assert_int_equal(dusk_stackmap_reset(r.map, true, &err), -EBUSY);
	live_end(killed);
	pass(&r);
	assert_int_equal(dusk_stackmap_stat(r.map, &stat), 0);
	assert_int_equal(stat.entries, r.known.nr);
	for (int i = 0; i < 10; i++)
		if (dusk_stackmap_reset(r.map, true, &err))
			fail_msg("%s", err.text);
	reader_close(&r);
	victim_end(&v);
	asker_open(&tool, KIND(BY_RAW), NULL);
}

/* Of a pin of its own, and of nobody else: other sizes, other epochs, other ids. */
static void each_instance_is_its_own(void **state)
{
	struct victim v = victim_start("getppid");
	struct dusk_stackmap_stat stat, private_stat;
	struct dusk_stackmap *map, *private_map;
	struct asker alone;

	asker_open(&tool, KIND(BY_RAW), &(struct dusk_unwind_options){.stackmap_bits = 12});
	asker_open(&alone, KIND(BY_RAW), &(struct dusk_unwind_options){.pin = "", .stackmap_bits = 10});
	asker_init(&tool, 0, DUSK_DELIVER_SUMS);
	asker_init(&alone, 0, DUSK_DELIVER_SUMS);
	asker_attach(&tool, BY_RAW, v.pid, 1);
	asker_attach(&alone, BY_RAW, v.pid, 1);
	asker_poll_busy(&tool, BY_RAW);
	asker_poll_busy(&alone, BY_RAW);
	assert_int_equal(dusk_stackmap_of(&map, tool.unwinder), 0);
	assert_int_equal(dusk_stackmap_of(&private_map, alone.unwinder), 0);
	assert_int_equal(dusk_stackmap_reset(private_map, false, NULL), 0);
	asker_poll_busy(&alone, BY_RAW);
	assert_int_equal(dusk_stackmap_stat(map, &stat), 0);
	assert_int_equal(dusk_stackmap_stat(private_map, &private_stat), 0);
	assert_int_equal(stat.bits, 12);
	assert_int_equal(private_stat.bits, 10);
	assert_int_equal(stat.epoch, 0);
	assert_int_equal(private_stat.epoch, 1);
	assert_true(stat.entries > 0);
	assert_true(private_stat.entries > 0);
	victim_end(&v);
	dusk_stackmap_close(map);
	dusk_stackmap_close(private_map);
	asker_close(&alone);
}

static void a_size_out_of_range_names_the_range(void **state)
{
	const struct dusk_unwind_options small = {.sz = sizeof(small), .pin = "", .stackmap_bits = 9};
	struct dusk_unwinder *u;
	struct dusk_error err;

	assert_int_equal(dusk_unwind_open(&u, &small, &err), -EINVAL);
	assert_string_equal(err.text, "stackmap_bits is 9, but goes from 10 to 20");
}

#define with_tool(f) cmocka_unit_test_teardown(f, close_tool)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		with_tool(references_are_events_however_they_got_their_stack),
		with_tool(stackmap__an_executed_request_is_a_reference),
		with_tool(references_stay_when_a_new_epoch_begins),
		with_tool(requests_that_got_no_stack_are_no_references_of_the_next_one),
		with_tool(a_reader_sees_each_stack_whole_while_the_stackmap_grows),
		with_tool(what_a_reader_has_stays_when_a_new_epoch_begins),
		with_tool(a_strict_reset_is_refused_while_there_is_a_consumer),
		with_tool(a_strict_reset_is_refused_while_another_one_runs),
		with_tool(a_tool_that_was_killed_leaves_a_stackmap_that_can_be_read_and_reset),
		with_tool(each_instance_is_its_own),
		cmocka_unit_test(a_size_out_of_range_names_the_range),
	};

	return ASKER_MAIN(argc, argv, tests);
}
