/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Profiles of random windows, merged with all sums and with those of each stack: is both the same, but for the times? */
#include <errno.h>
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

static struct dusk_profile *merged_so(const struct part *parts, struct dusk_merge_options o)
{
	_cleanup_(merge_freep) struct dusk_merge *m = NULL;
	struct dusk_profile *p = NULL;

	o.sz = sizeof(o);
	assert_int_equal(dusk_merge_new(&m, &o, NULL), 0);
	for (int i = 0; i < PARTS; i++)
		assert_int_equal(dusk_merge_add(m, &parts[i].profile, NULL), 0);
	assert_int_equal(dusk_merge_end(&p, m, NULL), 0);
	return p;
}

static struct dusk_profile *merged(const struct part *parts, uint64_t sum_ns, uint64_t from_ns, uint64_t to_ns)
{
	return merged_so(parts, (struct dusk_merge_options){.from_ns = from_ns, .to_ns = to_ns, .sum_ns = sum_ns});
}

static void fill_all(struct part *parts, int round)
{
	srand(round);
	for (int i = 0; i < PARTS; i++)
		fill(&parts[i], 1000 + i * PART_S);
}

/* What a view adds up of one thread, stack and outcome, in one part of the time. */
struct amounts {
	uint64_t count, value_ns, runnable_ns, longest_ns, rows;
};

static bool is_as(const struct dusk_sample *a, const struct dusk_sample *b)
{
	return a->thread == b->thread && a->node == b->node && a->source == b->source && a->state == b->state &&
	       a->outcome == b->outcome && (a->cpu == DUSK_NO_CPU) == (b->cpu == DUSK_NO_CPU);
}

static struct amounts amounts_of(const struct dusk_profile *p, const struct dusk_sample *as, uint64_t part_ns)
{
	uint64_t start_ns = dusk_profile_start_ns(p);
	struct amounts a = {0};

	for (uint64_t i = 0; i < p->nr_samples; i++) {
		const struct dusk_sample *s = &p->samples[i];
		uint64_t mean_ns = s->value_ns / s->count;

		if (!is_as(s, as) || (start_ns + s->time_ns) / part_ns != (start_ns + as->time_ns) / part_ns)
			continue;
		a.count += s->count;
		a.value_ns += s->value_ns;
		a.runnable_ns += s->runnable_ns;
		a.longest_ns = mean_ns > a.longest_ns ? mean_ns : a.longest_ns;
		a.rows++;
	}
	return a;
}

static void compare(const struct dusk_profile *each, const struct dusk_profile *summed, uint64_t part_ns)
{
	for (uint64_t i = 0; i < each->nr_samples; i++) {
		struct amounts a = amounts_of(each, &each->samples[i], part_ns);
		struct amounts b = amounts_of(summed, &each->samples[i], part_ns);
		bool own_time = each->samples[i].cpu != DUSK_NO_CPU;

		assert_int_equal(a.count, b.count);
		assert_int_equal(a.value_ns, b.value_ns);
		assert_int_equal(a.runnable_ns, b.runnable_ns);
		assert_int_equal(a.longest_ns, b.longest_ns);
		assert_true(own_time ? b.rows == a.rows : b.rows <= 2);
	}
	for (uint64_t i = 0; i < summed->nr_samples; i++) {
		assert_true(amounts_of(each, &summed->samples[i], part_ns).rows);
		assert_true(!i || summed->samples[i].time_ns >= summed->samples[i - 1].time_ns);
	}
	assert_string_equal(dusk_profile_setting(each, "duration_ns"), dusk_profile_setting(summed, "duration_ns"));
}

static void sums_of_a_stack_become_one_with_the_same_amounts_and_the_same_longest_mean(void **state)
{
	static struct part parts[PARTS];

	for (int round = 0; round < ROUNDS; round++) {
		fill_all(parts, round);
		/* All of it, and a part that begins and ends in the middle of a window and of a profile. */
		for (int cut = 0; cut < 2; cut++) {
			_cleanup_(profile_freep) struct dusk_profile *each =
				merged(parts, 0, cut * 1015 * S, cut * 1235 * S);
			_cleanup_(profile_freep) struct dusk_profile *summed =
				merged(parts, UINT64_MAX, cut * 1015 * S, cut * 1235 * S);

			compare(each, summed, UINT64_MAX);
		}
	}
}

static void sums_of_a_stack_within_a_minute_of_the_clock_become_one(void **state)
{
	static struct part parts[PARTS];

	for (int round = 0; round < ROUNDS; round++) {
		fill_all(parts, round);
		_cleanup_(profile_freep) struct dusk_profile *each = merged(parts, 0, 0, 0);
		_cleanup_(profile_freep) struct dusk_profile *summed = merged(parts, 60 * S, 0, 0);

		compare(each, summed, 60 * S);
		assert_string_equal(dusk_profile_setting(summed, "window_ns"), "60000000000");
	}
}

static void sums_are_as_they_were_until_there_are_too_many(void **state)
{
	static struct part parts[PARTS];
	uint32_t nr_sums = 0;

	fill_all(parts, 1);
	_cleanup_(profile_freep) struct dusk_profile *each = merged(parts, 0, 0, 0);
	for (uint64_t i = 0; i < each->nr_samples; i++)
		nr_sums += each->samples[i].cpu == DUSK_NO_CPU;
	_cleanup_(profile_freep) struct dusk_profile *few =
		merged_so(parts, (struct dusk_merge_options){.sum_ns = 60 * S, .max_sums = nr_sums});
	_cleanup_(profile_freep) struct dusk_profile *many =
		merged_so(parts, (struct dusk_merge_options){.sum_ns = 60 * S, .max_sums = nr_sums - 1});

	assert_int_equal(few->nr_samples, each->nr_samples);
	assert_null(dusk_profile_setting(few, "window_ns"));
	assert_true(many->nr_samples < each->nr_samples);
	compare(each, many, 60 * S);
}

static void sums_over_less_than_a_second_are_refused(void **state)
{
	const struct dusk_merge_options o = {.sz = sizeof(o), .sum_ns = S - 1};
	struct dusk_merge *m = NULL;

	assert_int_equal(dusk_merge_new(&m, &o, NULL), -EINVAL);
	assert_null(m);
}

/* What is of @thread, by its name, is the same in both. */
static void compare_threads(const struct dusk_profile *each, const struct dusk_profile *alike)
{
	for (uint32_t t = 0; t < alike->nr_threads; t++) {
		uint64_t value_ns = 0, alike_ns = 0;

		for (uint64_t i = 0; i < each->nr_samples; i++)
			if (!strcmp(each->threads[each->samples[i].thread].comm, alike->threads[t].comm))
				value_ns += each->samples[i].value_ns;
		for (uint64_t i = 0; i < alike->nr_samples; i++)
			if (alike->samples[i].thread == t)
				alike_ns += alike->samples[i].value_ns;
		assert_int_equal(value_ns, alike_ns);
		assert_true(value_ns);
	}
}

static void threads_of_one_name_become_one_when_there_are_too_many(void **state)
{
	static struct part parts[PARTS];
	const char *name[THREADS];

	for (int i = 0; i < THREADS; i++) {
		name[i] = threads[i].comm;
		threads[i].comm = i ? "worker" : "main";
	}
	for (int summed = 0; summed < 2; summed++) {
		struct dusk_merge_options o = {
			.sum_ns = summed ? UINT64_MAX : 0, .alike = true, .max_threads = THREADS};

		fill_all(parts, 1);
		_cleanup_(profile_freep) struct dusk_profile *each = merged(parts, 0, 0, 0);
		_cleanup_(profile_freep) struct dusk_profile *few = merged_so(parts, o);
		o.max_threads--;
		_cleanup_(profile_freep) struct dusk_profile *alike = merged_so(parts, o);

		assert_int_equal(few->nr_threads, THREADS);
		assert_null(dusk_profile_setting(few, "threads"));
		assert_string_equal(dusk_profile_setting(alike, "threads"), "alike");
		assert_int_equal(alike->nr_threads, 2);
		assert_string_equal(alike->threads[1].comm, "worker");
		assert_int_equal(alike->threads[0].pid, threads[0].pid); /* there is only one of that name */
		assert_int_equal(alike->threads[1].pid, 0);
		compare_threads(each, alike);
	}
	for (int i = 0; i < THREADS; i++)
		threads[i].comm = name[i];
}

/* Sums that were added up before are of threads that are one now. */
static void threads_may_become_too_many_after_sums_have(void **state)
{
	static struct part parts[PARTS];
	struct dusk_merge_options o = {.sum_ns = UINT64_MAX, .alike = true, .max_threads = THREADS};
	static struct dusk_thread more[THREADS];

	fill_all(parts, 2);
	for (int i = 0; i < THREADS; i++) {
		more[i] = threads[i];
		more[i].pid += 1000;
	}
	parts[PARTS - 1].profile.threads = more;
	_cleanup_(profile_freep) struct dusk_profile *each = merged(parts, 0, 0, 0);
	_cleanup_(profile_freep) struct dusk_profile *alike = merged_so(parts, o);

	assert_int_equal(each->nr_threads, 2 * THREADS);
	assert_int_equal(alike->nr_threads, 1);
	compare_threads(each, alike);
	for (uint64_t i = 0; i < alike->nr_samples; i++) {
		bool own_time = alike->samples[i].cpu != DUSK_NO_CPU;

		assert_true(own_time || amounts_of(alike, &alike->samples[i], UINT64_MAX).rows <= 2);
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
	p = merged(parts, UINT64_MAX, 0, 0);
	a = amounts_of(p, &parts[0].sample[0], UINT64_MAX);
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
	p = merged(parts, 0, 0, 0);
	assert_string_equal(dusk_profile_setting(p, "start_realtime_ns"), "1000000000000");
	assert_string_equal(dusk_profile_setting(p, "duration_ns"), "300000000000");
	for (int i = 0; i < PARTS; i++)
		assert_int_equal(p->samples[i].time_ns, (i * PART_S + 5) * S);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_of_a_stack_become_one_with_the_same_amounts_and_the_same_longest_mean),
		cmocka_unit_test(sums_of_a_stack_within_a_minute_of_the_clock_become_one),
		cmocka_unit_test(sums_are_as_they_were_until_there_are_too_many),
		cmocka_unit_test(sums_over_less_than_a_second_are_refused),
		cmocka_unit_test(threads_of_one_name_become_one_when_there_are_too_many),
		cmocka_unit_test(threads_may_become_too_many_after_sums_have),
		cmocka_unit_test(a_count_that_one_row_cannot_hold_is_in_two),
		cmocka_unit_test(parts_may_come_in_any_order),
	};

	return cmocka_run_group_tests(tests, make_tables, NULL);
}
