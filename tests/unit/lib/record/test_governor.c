/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Does following switches stay inside its budget, on a machine whose off-CPU intervals have lengths of all kinds? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "lib/record/governor.h"

#define LOOK_NS 250000000ULL
#define CPUS 2
#define BUDGET 0.02

/* What off-CPU intervals there are in a second: @rate of each length. What is left out costs @fixed_ns all the same. */
struct machine {
	double rate[3];
	double length_ns[3];
	double fixed_ns, taken_ns;
	struct governor governor;
	uint64_t now_ns, cost_ns;
};

static void setup(struct machine *m, double budget)
{
	*m = (struct machine){
		.rate = {300000, 20000, 500},
		.length_ns = {3000, 100000, 20000000},
		.fixed_ns = 60,
		.taken_ns = 700,
		.now_ns = 1000,
	};
	governor_init(&m->governor, budget, CPUS);
	governor_look(&m->governor, 0, m->now_ns);
}

/* The share of the CPUs that the next moment costs, with what is taken in it. */
static double pass(struct machine *m)
{
	uint64_t certain_ns = m->governor.certain_ns;
	double ns = 0, s = LOOK_NS / 1e9;

	for (int i = 0; i < 3; i++) {
		double chance = m->length_ns[i] >= certain_ns ? 1 : m->length_ns[i] / certain_ns;

		ns += m->rate[i] * s * (m->fixed_ns + chance * m->taken_ns);
	}
	m->now_ns += LOOK_NS;
	m->cost_ns += ns;
	governor_look(&m->governor, m->cost_ns, m->now_ns);
	return ns / LOOK_NS / CPUS;
}

static void costs_above_the_budget_are_inside_it_after_some_rounds(void **state)
{
	struct machine m;
	double share = 0;

	setup(&m, BUDGET);
	assert_true(pass(&m) > 5 * BUDGET);
	for (int i = 0; i < 20; i++)
		share = pass(&m);
	for (int i = 0; i < 100; i++, share = pass(&m))
		assert_true(share <= BUDGET && share > BUDGET / 2);
	assert_true(m.governor.highest_ns >= m.governor.certain_ns);
}

static void all_are_taken_again_when_the_machine_is_quiet(void **state)
{
	struct machine m;

	setup(&m, BUDGET);
	for (int i = 0; i < 20; i++)
		pass(&m);
	assert_true(m.governor.certain_ns > 0);
	m.rate[0] = m.rate[1] = 100;
	for (int i = 0; i < 20; i++)
		pass(&m);
	assert_int_equal(m.governor.certain_ns, 0);
}

/* A moment of rest says little of the next one. */
static void more_are_taken_step_by_step(void **state)
{
	struct machine m;
	uint64_t certain_ns;

	setup(&m, BUDGET);
	for (int i = 0; i < 20; i++)
		pass(&m);
	certain_ns = m.governor.certain_ns;
	assert_true(certain_ns > 10000);
	m.now_ns += LOOK_NS;
	assert_int_equal(governor_look(&m.governor, m.cost_ns, m.now_ns), certain_ns / 8);
}

/* What is left is the cost of noting each sched-out and sched-in: to take still fewer would only make the sums worse. */
static void a_budget_that_cannot_be_held_makes_no_sums_worse_than_it_helps(void **state)
{
	struct machine m;
	double share = 0;

	setup(&m, 0.001);
	for (int i = 0; i < 100; i++)
		share = pass(&m);
	assert_true(share > 0.001);
	assert_true(m.governor.certain_ns < GOVERNOR_MAX_NS / 10);
	assert_true(share < 1.5 * 320500 * m.fixed_ns / 1e9 / CPUS);
}

static void more_to_do_is_worth_another_try(void **state)
{
	struct machine m;
	uint64_t certain_ns;

	setup(&m, 0.001);
	for (int i = 0; i < 100; i++)
		pass(&m);
	certain_ns = m.governor.certain_ns;
	m.length_ns[1] *= 10;
	m.rate[1] *= 10;
	for (int i = 0; i < 100; i++)
		pass(&m);
	assert_true(m.governor.certain_ns > certain_ns);
}

static void without_a_budget_all_are_taken_whatever_it_costs(void **state)
{
	struct machine m;

	setup(&m, 0);
	for (int i = 0; i < 100; i++) {
		pass(&m);
		assert_int_equal(m.governor.certain_ns, 0);
	}
}

static void rounds_that_follow_too_soon_change_nothing(void **state)
{
	struct machine m;
	uint64_t certain_ns;

	setup(&m, BUDGET);
	pass(&m);
	certain_ns = m.governor.certain_ns;
	assert_int_equal(governor_look(&m.governor, m.cost_ns + 1000000000, m.now_ns + 1), certain_ns);
	assert_int_equal(governor_look(&m.governor, m.cost_ns + 1000000000, m.now_ns), certain_ns);
}

/* Long intervals whose stacks are dear, and a base that no sample lowers: a limit is held all the same. */
static void a_limit_is_held_where_a_budget_is_not(void **state)
{
	struct machine m, limited;
	double share = 0, held = 0;

	setup(&m, BUDGET);
	m = (struct machine){.rate = {20000, 20000, 8000},
			     .length_ns = {20000, 1000000, 50000000},
			     .fixed_ns = 300,
			     .taken_ns = 20000,
			     .governor = m.governor,
			     .now_ns = m.now_ns};
	limited = m;
	limited.governor.hard = true;
	for (int i = 0; i < 200; i++) {
		share = pass(&m);
		held = pass(&limited);
	}
	assert_true(share > 2 * BUDGET);
	assert_true(held < BUDGET);
	assert_true(limited.governor.certain_ns > GOVERNOR_MAX_NS);
	/* And it is given back when there is room again. */
	limited.taken_ns = 100;
	for (int i = 0; i < 400; i++)
		pass(&limited);
	assert_int_equal(limited.governor.certain_ns, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(costs_above_the_budget_are_inside_it_after_some_rounds),
		cmocka_unit_test(all_are_taken_again_when_the_machine_is_quiet),
		cmocka_unit_test(more_are_taken_step_by_step),
		cmocka_unit_test(a_budget_that_cannot_be_held_makes_no_sums_worse_than_it_helps),
		cmocka_unit_test(more_to_do_is_worth_another_try),
		cmocka_unit_test(without_a_budget_all_are_taken_whatever_it_costs),
		cmocka_unit_test(rounds_that_follow_too_soon_change_nothing),
		cmocka_unit_test(a_limit_is_held_where_a_budget_is_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
