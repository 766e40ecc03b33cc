/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Profiles of random windows, merged with all sums and with those of each stack: is both the same, but for the times? */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <dusk/dusk.h>
#include "base/cleanup.h"

#define S 1000000000ULL
enum { ROUNDS = 200, PARTS = 3, THREADS = 3, NODES = 4, STATES = 2, OUTCOMES = 2, SAMPLES_MAX = 120, PART_S = 100 };

static struct dusk_module modules[1];
static struct dusk_function functions[1];
static struct dusk_frame frames[NODES];
static struct dusk_node nodes[NODES];
static struct dusk_cgroup cgroups[1];
static struct dusk_thread threads[THREADS];
static struct dusk_outcome outcomes[OUTCOMES] = {{.name = "whole", .sentence = ""}, {.name = "cut", .sentence = ""}};
static struct dusk_waker wakers[1];

static void profile_freep(struct dusk_profile **p)
{
	dusk_profile_free(*p);
}

static void merge_freep(struct dusk_merge **m)
{
	dusk_merge_free(*m);
}

static int make_tables(void **state)
{
	modules[0] = (struct dusk_module){.path = "", .build_id = ""};
	functions[0] = (struct dusk_function){"", "", ""};
	cgroups[0] = (struct dusk_cgroup){"", "", "", "", "", "", ""};
	for (uint32_t i = 1; i < NODES; i++) {
		frames[i].offset = i;
		nodes[i] = (struct dusk_node){i - 1, i};
	}
	for (int i = 0; i < THREADS; i++)
		threads[i] = (struct dusk_thread){
			.pid = i, .tid = i, .comm = "t", .title = "", .service = "", .version = ""};
	return 0;
}

struct part {
	struct dusk_profile profile;
	struct dusk_sample sample[SAMPLES_MAX];
	struct dusk_setting setting[3];
	char start[32];
};

static struct dusk_sample random_sample(uint64_t time_ns)
{
	bool off = rand() % 2, own_time = off && rand() % 8 == 0;
	struct dusk_sample s = {
		.time_ns = time_ns,
		.source = off ? DUSK_OFF_CPU : DUSK_CPU,
		.state = off ? rand() % STATES : 0,
		.thread = rand() % THREADS,
		.node = rand() % NODES,
		.outcome = rand() % OUTCOMES,
		.cpu = own_time ? rand() % 2 : DUSK_NO_CPU,
		.count = 1 + rand() % 5,
	};

	s.value_ns = off ? rand() % 100000 : s.count * S / 20;
	s.runnable_ns = off ? s.value_ns / 3 : 0;
	return s;
}

static void fill(struct part *part, uint64_t start_s)
{
	uint32_t nr = rand() % SAMPLES_MAX;

	*part = (struct part){.profile = {.nr_modules = 1,
					  .modules = modules,
					  .nr_functions = 1,
					  .functions = functions,
					  .nr_frames = NODES,
					  .frames = frames,
					  .nr_nodes = NODES,
					  .nodes = nodes,
					  .nr_cgroups = 1,
					  .cgroups = cgroups,
					  .nr_threads = THREADS,
					  .threads = threads,
					  .nr_outcomes = OUTCOMES,
					  .outcomes = outcomes,
					  .nr_wakers = 1,
					  .wakers = wakers,
					  .nr_settings = 3}};
	snprintf(part->start, sizeof(part->start), "%llu", start_s * S);
	part->setting[0] = (struct dusk_setting){"start_realtime_ns", part->start};
	part->setting[1] = (struct dusk_setting){"duration_ns", "100000000000"};
	part->setting[2] = (struct dusk_setting){"boot_id", "boot"}; /* their threads are the same */
	part->profile.settings = part->setting;
	part->profile.samples = part->sample;
	part->profile.nr_samples = nr;
	for (uint32_t i = 0; i < nr; i++)
		part->sample[i] = random_sample(i * PART_S / nr / 10 * 10 * S);
}

static struct dusk_profile *merged(const struct part *parts, bool sum, uint64_t from_ns, uint64_t to_ns)
{
	_cleanup_(merge_freep) struct dusk_merge *m = NULL;
	struct dusk_profile *p = NULL;

	assert_int_equal(dusk_merge_new(&m, from_ns, to_ns, sum, NULL), 0);
	for (int i = 0; i < PARTS; i++)
		assert_int_equal(dusk_merge_add(m, &parts[i].profile, NULL), 0);
	assert_int_equal(dusk_merge_end(&p, m, NULL), 0);
	return p;
}

/* What a view adds up of one thread, stack and outcome. */
struct amounts {
	uint64_t count, value_ns, runnable_ns, longest_ns, rows;
};

static bool is_as(const struct dusk_sample *a, const struct dusk_sample *b)
{
	return a->thread == b->thread && a->node == b->node && a->source == b->source && a->state == b->state &&
	       a->outcome == b->outcome && (a->cpu == DUSK_NO_CPU) == (b->cpu == DUSK_NO_CPU);
}

static struct amounts amounts_of(const struct dusk_profile *p, const struct dusk_sample *as)
{
	struct amounts a = {0};

	for (uint64_t i = 0; i < p->nr_samples; i++) {
		const struct dusk_sample *s = &p->samples[i];
		uint64_t mean_ns = s->value_ns / s->count;

		if (!is_as(s, as))
			continue;
		a.count += s->count;
		a.value_ns += s->value_ns;
		a.runnable_ns += s->runnable_ns;
		a.longest_ns = mean_ns > a.longest_ns ? mean_ns : a.longest_ns;
		a.rows++;
	}
	return a;
}

static void compare(const struct dusk_profile *each, const struct dusk_profile *summed)
{
	for (uint64_t i = 0; i < each->nr_samples; i++) {
		struct amounts a = amounts_of(each, &each->samples[i]), b = amounts_of(summed, &each->samples[i]);
		bool own_time = each->samples[i].cpu != DUSK_NO_CPU;

		assert_int_equal(a.count, b.count);
		assert_int_equal(a.value_ns, b.value_ns);
		assert_int_equal(a.runnable_ns, b.runnable_ns);
		assert_int_equal(a.longest_ns, b.longest_ns);
		assert_true(own_time ? b.rows == a.rows : b.rows <= 2);
	}
	for (uint64_t i = 0; i < summed->nr_samples; i++) {
		assert_true(amounts_of(each, &summed->samples[i]).rows);
		assert_true(!i || summed->samples[i].time_ns >= summed->samples[i - 1].time_ns);
	}
	assert_string_equal(dusk_profile_setting(each, "duration_ns"), dusk_profile_setting(summed, "duration_ns"));
}

static void sums_of_a_stack_become_one_with_the_same_amounts_and_the_same_longest_mean(void **state)
{
	static struct part parts[PARTS];

	for (int round = 0; round < ROUNDS; round++) {
		srand(round);
		for (int i = 0; i < PARTS; i++)
			fill(&parts[i], 1000 + i * PART_S);
		/* All of it, and a part that begins and ends in the middle of a window and of a profile. */
		for (int cut = 0; cut < 2; cut++) {
			_cleanup_(profile_freep) struct dusk_profile *each =
				merged(parts, false, cut * 1015 * S, cut * 1235 * S);
			_cleanup_(profile_freep) struct dusk_profile *summed =
				merged(parts, true, cut * 1015 * S, cut * 1235 * S);

			compare(each, summed);
		}
	}
}

static void a_count_that_one_row_cannot_hold_is_in_two(void **state)
{
	static struct part parts[PARTS];
	_cleanup_(profile_freep) struct dusk_profile *p = NULL;
	struct amounts a;

	for (int i = 0; i < PARTS; i++) {
		fill(&parts[i], 1000 + i * PART_S);
		parts[i].profile.nr_samples = 1;
		parts[i].sample[0] = (struct dusk_sample){.source = DUSK_CPU,
							  .node = 1,
							  .cpu = DUSK_NO_CPU,
							  .count = UINT32_MAX - 1,
							  .value_ns = UINT32_MAX - 1};
	}
	p = merged(parts, true, 0, 0);
	a = amounts_of(p, &parts[0].sample[0]);
	assert_int_equal(a.rows, PARTS);
	assert_int_equal(a.count, PARTS * (UINT32_MAX - 1ULL));
}

static void parts_may_come_in_any_order(void **state)
{
	static struct part parts[PARTS];
	_cleanup_(profile_freep) struct dusk_profile *p = NULL;

	for (int i = 0; i < PARTS; i++) {
		fill(&parts[i], 1200 - i * PART_S);
		parts[i].profile.nr_samples = 1;
		parts[i].sample[0] = random_sample(5 * S);
	}
	p = merged(parts, false, 0, 0);
	assert_string_equal(dusk_profile_setting(p, "start_realtime_ns"), "1000000000000");
	assert_string_equal(dusk_profile_setting(p, "duration_ns"), "300000000000");
	for (int i = 0; i < PARTS; i++)
		assert_int_equal(p->samples[i].time_ns, (i * PART_S + 5) * S);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_of_a_stack_become_one_with_the_same_amounts_and_the_same_longest_mean),
		cmocka_unit_test(a_count_that_one_row_cannot_hold_is_in_two),
		cmocka_unit_test(parts_may_come_in_any_order),
	};

	return cmocka_run_group_tests(tests, make_tables, NULL);
}
