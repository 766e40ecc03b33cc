/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* When the agent believes the clock, before it removes profiles for their age. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>
#include "cli/agent/clock.h"
#include "cli/cmdline/command.h"

#define NOW 1795575600 /* 2026-11-25T03:00:00Z */
#define BOOT "0b9d7b4c-1111-4222-8333-444455556666"
#define OTHER "1b9d7b4c-1111-4222-8333-444455556666"
#define MONTH_S (30 * 86400)

/* What the clock needs of the command. */
void say(const char *format, ...)
{
}

static void a_clock_that_goes_is_believed(void **state)
{
	struct agent_clock c;

	agent_clock_init(&c, NULL, BOOT, NOW, 100);
	assert_true(agent_clock_is_settled(&c, 100));
	for (int64_t s = 0; s < MONTH_S; s += 60)
		assert_int_equal(agent_clock_look(&c, NOW + s, 100 + s), 0);
	assert_true(agent_clock_is_settled(&c, 100 + MONTH_S));
}

static void small_steps_are_no_jump(void **state)
{
	struct agent_clock c;

	agent_clock_init(&c, NULL, BOOT, NOW, 100);
	for (int64_t s = 0; s < 3600; s += 60) /* each minute a minute more */
		assert_int_equal(agent_clock_look(&c, NOW + 2 * s, 100 + s), 0);
	assert_true(agent_clock_is_settled(&c, 3700));
}

static void after_a_jump_it_is_not_believed_for_a_day(void **state)
{
	static const int64_t jumps[] = {-3600, 3600, 10 * MONTH_S};

	for (size_t i = 0; i < sizeof(jumps) / sizeof(jumps[0]); i++) {
		struct agent_clock c;

		agent_clock_init(&c, NULL, BOOT, NOW, 100);
		assert_int_equal(agent_clock_look(&c, NOW + jumps[i] + 5, 105), jumps[i]);
		assert_int_equal(agent_clock_look(&c, NOW + jumps[i] + 65, 165), 0);
		assert_false(agent_clock_is_settled(&c, 105));
		assert_false(agent_clock_is_settled(&c, 105 + CLOCK_SETTLE_S - 1));
		assert_true(agent_clock_is_settled(&c, 105 + CLOCK_SETTLE_S));
	}
}

static void the_next_agent_of_a_boot_knows_of_a_jump(void **state)
{
	struct agent_clock c;
	char note[128];

	/* one that was seen by the agent before */
	snprintf(note, sizeof(note), BOOT " %d 500\n", NOW - 100);
	agent_clock_init(&c, note, BOOT, NOW + 500, 600);
	assert_int_equal(agent_clock_look(&c, NOW + 500, 600), 0);
	assert_false(agent_clock_is_settled(&c, 600));
	/* and one that came when there was none */
	snprintf(note, sizeof(note), BOOT " %d -1\n", NOW - 100);
	agent_clock_init(&c, note, BOOT, NOW + MONTH_S + 500, 600);
	assert_int_equal(agent_clock_look(&c, NOW + MONTH_S + 500, 600), MONTH_S);
	assert_false(agent_clock_is_settled(&c, 600));
}

static void an_agent_that_was_down_for_a_month_believes_the_clock(void **state)
{
	struct agent_clock c;
	char note[128];

	snprintf(note, sizeof(note), BOOT " %d -1\n", NOW - 100);
	agent_clock_init(&c, note, BOOT, NOW + MONTH_S, 100 + MONTH_S); /* the machine was up */
	assert_int_equal(agent_clock_look(&c, NOW + MONTH_S, 100 + MONTH_S), 0);
	assert_true(agent_clock_is_settled(&c, 100 + MONTH_S));
	agent_clock_init(&c, note, OTHER, NOW + MONTH_S, 30); /* it was down, too */
	assert_int_equal(agent_clock_look(&c, NOW + MONTH_S, 30), 0);
	assert_true(agent_clock_is_settled(&c, 30));
	agent_clock_init(&c, "nonsense", BOOT, NOW, 100);
	assert_true(agent_clock_is_settled(&c, 100));
	agent_clock_init(&c, note, "", NOW + MONTH_S, 100); /* no boot is known */
	assert_int_equal(agent_clock_look(&c, NOW + MONTH_S, 100), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_clock_that_goes_is_believed),
		cmocka_unit_test(small_steps_are_no_jump),
		cmocka_unit_test(after_a_jump_it_is_not_believed_for_a_day),
		cmocka_unit_test(the_next_agent_of_a_boot_knows_of_a_jump),
		cmocka_unit_test(an_agent_that_was_down_for_a_month_believes_the_clock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
