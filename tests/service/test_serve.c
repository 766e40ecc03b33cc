/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Ring, aggregation map and callback, each alone and all at once: does every consumer get what was requested, and are the
 * sums those that the programs counted themselves?
 */
#include <errno.h>
#include <string.h>
#include "asker.h"
#include "victim.h"

static struct asker tool;

static int close_tool(void **state)
{
	asker_close(&tool);
	return 0;
}

struct totals {
	struct probe_sum by_key[PROBE_KEYS];
	uint64_t unresolved, without_stack, rows, unreadable;
};

static int add_row(void *ctx, const struct dusk_sum *c)
{
	struct totals *t = ctx;
	const uint64_t *frame;
	uint32_t nr;

	assert_in_range(c->key, 0, PROBE_KEYS - 1);
	t->by_key[c->key].amount += c->amount;
	t->by_key[c->key].count += c->count;
	t->rows++;
	t->unresolved += c->unresolved;
	t->without_stack += !c->unresolved && !c->stack;
	t->unreadable += c->stack && dusk_unwind_frames(tool.unwinder, c->stack, &frame, &nr);
	return 0;
}

static struct totals totals_of(uint32_t consumer)
{
	struct totals t = {0};

	assert_int_equal(dusk_unwind_sums(tool.unwinder, consumer, add_row, &t), 0);
	print_message("consumer %u: %lu rows, %lu unresolved, %lu without stack\n", consumer, t.rows, t.unresolved,
		      t.without_stack);
	assert_int_equal(t.unreadable, 0);
	return t;
}

static void expect_exact_sums(uint32_t consumer, const struct totals *t)
{
	uint64_t counted = 0;

	for (uint32_t key = 0; key < PROBE_KEYS; key++) {
		struct probe_sum sum = asker_sum(&tool, consumer, key);

		assert_int_equal(t->by_key[key].count, sum.count);
		assert_int_equal(t->by_key[key].amount, sum.amount);
		counted += sum.count;
	}
	assert_true(counted > 0);
}

/* Three consumers add to @keys keys, as the switches of one visit or @again times at each system call. */
static void add_amounts(const char *mode, uint32_t kinds, uint32_t keys, uint32_t again, uint32_t aggregation_rows)
{
	struct victim v = victim_start(mode);

	asker_open(&tool, kinds, NULL);
	tool.control->keys = keys;
	tool.control->again = again;
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(try_init_sized(&tool, i,
						i == 1 ? DUSK_DELIVER_SUMS | DUSK_DELIVER_RING | DUSK_DELIVER_CALLBACK
						       : DUSK_DELIVER_SUMS,
						0, aggregation_rows),
				 0);
	for (int kind = 0; kind < NR_KINDS; kind++)
		if (kinds >> kind & 1)
			asker_attach(&tool, kind, v.pid, 7);
	asker_poll_busy(&tool, __builtin_ctz(kinds));
	asker_silence(&tool);
	victim_end(&v);
	asker_poll(&tool, 100);
}

static void few_keys_have_exact_sums_and_known_stacks(void **state)
{
	add_amounts("getppid", KIND(BY_RAW), 2, 3, 0);
	for (uint32_t i = 0; i < 3; i++) {
		struct totals t = totals_of(i);

		expect_exact_sums(i, &t);
		assert_int_equal(t.unresolved, 0);
	}
	asker_expect(&tool, 2, 2);
}

static void more_keys_than_a_task_holds_are_resolved(void **state)
{
	add_amounts("getppid", KIND(BY_RAW), 40, 13, 1 << 18);
	for (uint32_t i = 0; i < 3; i++) {
		struct totals t = totals_of(i);

		assert_int_equal(dusk_unwind_lost(tool.unwinder, i, "lost-sums"), 0);
		expect_exact_sums(i, &t);
		assert_int_equal(t.unresolved, 0);
	}
	asker_expect(&tool, 2, 2);
}

static void sums_are_exact_when_interrupts_add_too(void **state)
{
	add_amounts("threads", KIND(BY_RAW) | KIND(BY_TICK) | KIND(BY_SWITCH), 40, 1, 1 << 18);
	for (uint32_t i = 0; i < 3; i++) {
		struct totals t = totals_of(i);

		assert_int_equal(dusk_unwind_lost(tool.unwinder, i, "lost-sums"), 0);
		expect_exact_sums(i, &t);
		assert_int_equal(t.unresolved, 0);
	}
	asker_expect(&tool, 2, 2);
}

static void amounts_that_a_full_map_refuses_are_counted(void **state)
{
	add_amounts("getppid", KIND(BY_RAW), PROBE_KEYS, 20, 32);
	for (uint32_t i = 0; i < 3; i++) {
		struct totals t = totals_of(i);
		uint64_t lost = dusk_unwind_lost(tool.unwinder, i, "lost-sums"), kept = 0, counted = 0;

		for (uint32_t key = 0; key < PROBE_KEYS; key++) {
			kept += t.by_key[key].count;
			counted += asker_sum(&tool, i, key).count;
		}
		print_message("%lu added, %lu kept, %lu lost\n", counted, kept, lost);
		assert_true(lost > 0);
		assert_int_equal(kept + lost, counted);
	}
}

static void each_way_alone_serves(void **state)
{
	struct victim v = victim_start("getppid");
	struct totals t;

	asker_open(&tool, KIND(BY_RAW), NULL);
	tool.control->keys = 3;
	asker_init(&tool, 0, DUSK_DELIVER_RING);
	asker_init(&tool, 1, DUSK_DELIVER_SUMS);
	asker_init(&tool, 2, DUSK_DELIVER_CALLBACK);
	asker_init(&tool, 3, DUSK_DELIVER_RING | DUSK_DELIVER_AT_ONCE);
	asker_attach(&tool, BY_RAW, v.pid, 15);
	asker_poll_busy(&tool, BY_RAW);
	asker_silence(&tool);
	victim_end(&v);
	asker_poll(&tool, 100);
	asker_expect(&tool, 1 | 8, 4);
	t = totals_of(1);
	expect_exact_sums(1, &t);
	assert_int_equal(dusk_unwind_sums(tool.unwinder, 0, add_row, &t), -ENOENT);
}

#define with_tool(f) cmocka_unit_test_teardown(f, close_tool)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		with_tool(each_way_alone_serves),
		with_tool(few_keys_have_exact_sums_and_known_stacks),
		with_tool(more_keys_than_a_task_holds_are_resolved),
		with_tool(sums_are_exact_when_interrupts_add_too),
		with_tool(amounts_that_a_full_map_refuses_are_counted),
	};

	return ASKER_MAIN(argc, argv, tests);
}
