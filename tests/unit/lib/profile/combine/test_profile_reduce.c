/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Random profiles, made smaller: is what they say the same, but for what is named as lost? */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <dusk/dusk.h>
#include "base/cleanup.h"
#include "base/map.h"

#define S 1000000000ULL
#define WINDOW_NS (60 * S)
enum {
	ROUNDS = 100,
	MODULES = 3,
	FUNCTIONS = 8,
	FRAMES = 16,
	LINES = 2,
	NODES = 400,
	THREADS = 12,
	STATES = 2,
	OUTCOMES = 2,
	SAMPLES = 600,
	PROFILE_S = 7200,
	DEPTH_MAX = 64
};

static struct dusk_module modules[MODULES];
static struct dusk_function functions[FUNCTIONS];
static struct dusk_line lines[LINES];
static struct dusk_frame frames[FRAMES];
static struct dusk_node nodes[NODES];
static struct dusk_cgroup cgroups[2];
static struct dusk_thread threads[THREADS];
static struct dusk_thread_times times[THREADS];
static struct dusk_outcome outcomes[OUTCOMES] = {{.name = "whole", .sentence = ""}, {.name = "cut", .sentence = ""}};
static struct dusk_waker wakers[2] = {{0}, {.kind = DUSK_WAKER_TASK, .node = 3, .thread = 1}};
static struct dusk_sample samples[SAMPLES];
static struct dusk_setting settings[] = {{"start_realtime_ns", "3600000000000"}, {"duration_ns", "7200000000000"}};

static void profile_freep(struct dusk_profile **p)
{
	dusk_profile_free(*p);
}

static int make_tables(void **state)
{
	static const char *const names[] = {"", "a", "b", "c", "d", "e", "f", "g"}, *const paths[] = {"", "x", "y"},
				 *const comms[] = {"sh", "cc1", "web"};

	for (uint32_t i = 0; i < MODULES; i++)
		modules[i] = (struct dusk_module){
			.kind = i ? DUSK_MODULE_FILE : DUSK_MODULE_NONE, .path = paths[i], .build_id = paths[i]};
	for (uint32_t i = 0; i < FUNCTIONS; i++)
		functions[i] = (struct dusk_function){names[i], names[i], i ? "image" : ""};
	for (uint32_t i = 0; i < LINES; i++)
		lines[i] = (struct dusk_line){.function = 7 - i, .line = i + 1, .file = "file.c"};
	for (uint32_t i = 1; i < FRAMES; i++)
		frames[i] =
			(struct dusk_frame){.module = 1 + i % 2, .offset = 100 - i, .function = i % 7, .nr_lines = 0};
	frames[5].nr_lines = LINES;
	cgroups[0] = (struct dusk_cgroup){"", "", "", "", "", "", ""};
	cgroups[1] = (struct dusk_cgroup){"/a.service", "", "", "", "", "a.service", ""};
	for (uint32_t i = 0; i < THREADS; i++) {
		threads[i] = (struct dusk_thread){.pid = 100 + i / 2,
						  .tid = 100 + i,
						  .comm = comms[i % 3],
						  .title = paths[i % 2 + 1],
						  .service = "",
						  .version = "",
						  .cgroup = i % 2};
		times[i] = (struct dusk_thread_times){.thread = i, .end_ns = S, .on_cpu_ns = S};
	}
	return 0;
}

/* Some nodes have most of the time, and the first half of the threads lives for a moment. */
static struct dusk_sample random_sample(void)
{
	bool off = rand() % 2, own_time = off && rand() % 8 == 0;
	struct dusk_sample s = {
		.time_ns = rand() % (PROFILE_S * 10ULL) * (S / 10),
		.source = off ? DUSK_OFF_CPU : DUSK_CPU,
		.state = off ? rand() % STATES : 0,
		.thread = rand() % THREADS,
		.node = rand() % 4 ? rand() % NODES : rand() % 20,
		.outcome = rand() % OUTCOMES,
		.cpu = own_time ? rand() % 2 : DUSK_NO_CPU,
		.waker = own_time,
		.count = 1 + rand() % 5,
	};

	if (s.thread < THREADS / 2)
		s.time_ns = s.thread * WINDOW_NS + 5;
	s.value_ns = off ? rand() % S : s.count * S / 20;
	s.runnable_ns = off ? s.value_ns / 3 : 0;
	return s;
}

static int by_time(const void *a, const void *b)
{
	const struct dusk_sample *x = a, *y = b;

	return x->time_ns < y->time_ns ? -1 : x->time_ns > y->time_ns;
}

/* A profile of its own, which can be changed. */
static struct dusk_profile *made(void)
{
	struct dusk_profile p = {.nr_modules = MODULES,
				 .modules = modules,
				 .nr_functions = FUNCTIONS,
				 .functions = functions,
				 .nr_lines = LINES,
				 .lines = lines,
				 .nr_frames = FRAMES,
				 .frames = frames,
				 .nr_nodes = NODES,
				 .nodes = nodes,
				 .nr_cgroups = 2,
				 .cgroups = cgroups,
				 .nr_threads = THREADS,
				 .threads = threads,
				 .nr_thread_times = THREADS,
				 .thread_times = times,
				 .nr_wakers = 2,
				 .wakers = wakers,
				 .nr_outcomes = OUTCOMES,
				 .outcomes = outcomes,
				 .nr_samples = SAMPLES,
				 .samples = samples,
				 .nr_settings = 2,
				 .settings = settings,
				 .period_ns = S / 20,
				 .finished = true};
	const struct dusk_profile *part = &p;
	struct dusk_profile *ret = NULL;

	for (uint32_t i = 1; i < NODES; i++)
		nodes[i] = (struct dusk_node){rand() % 3 ? i - 1 : rand() % i, 1 + rand() % (FRAMES - 1)};
	for (uint32_t i = 0; i < SAMPLES; i++)
		samples[i] = random_sample();
	qsort(samples, SAMPLES, sizeof(*samples), by_time);
	assert_int_equal(dusk_profile_merge(&ret, &part, 1, 0, 0, NULL), 0);
	return ret;
}

static const char *function_of(const struct dusk_profile *p, uint32_t node)
{
	return p->functions[p->frames[p->nodes[node].frame].function].name;
}

static bool is_mark(const struct dusk_profile *p, uint32_t node)
{
	return !strcmp(function_of(p, node), "[...]");
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * 0x9E3779B97F4A7C15ULL;
	return hash ^ hash >> 29;
}

static uint64_t mix_text(uint64_t hash, const char *text)
{
	for (; *text; text++)
		hash = mix(hash, *text);
	return mix(hash, 0);
}

/* What a node's frame means, whatever its number. */
static uint64_t frame_hash(const struct dusk_profile *p, uint32_t node)
{
	const struct dusk_frame *f = &p->frames[p->nodes[node].frame];
	uint64_t hash = mix_text(mix(mix_text(1, p->modules[f->module].path), f->offset), function_of(p, node));

	for (uint32_t i = 0; i < f->nr_lines; i++)
		hash = mix_text(mix(hash, p->lines[f->first_line + i].line),
				p->functions[p->lines[f->first_line + i].function].name);
	return hash;
}

static uint64_t path_hash(const struct dusk_profile *p, uint32_t node)
{
	return node ? mix(path_hash(p, p->nodes[node].parent), frame_hash(p, node)) : 7;
}

/* What a sample says beside its stack and its thread's ids. */
static uint64_t kind_hash(const struct dusk_profile *p, const struct dusk_sample *s)
{
	const struct dusk_thread *t = &p->threads[s->thread];
	uint64_t hash = mix(mix(mix(3, s->source), s->state), s->outcome);

	return mix_text(mix_text(hash, t->comm), p->cgroups[t->cgroup].path);
}

/* Sums by a key. */
struct totals {
	struct map row;
	struct {
		uint64_t key, count, ns, runnable_ns;
	} v[SAMPLES + 1];
	uint32_t nr;
};

typedef uint64_t (*key_fn)(const struct dusk_profile *p, const struct dusk_sample *s);

static uint64_t by_self(const struct dusk_profile *p, const struct dusk_sample *s)
{
	return mix(kind_hash(p, s), s->node ? frame_hash(p, s->node) : 0);
}

static uint64_t by_all(const struct dusk_profile *p, const struct dusk_sample *s)
{
	const struct dusk_thread *t = &p->threads[s->thread];

	return mix(mix(mix(mix(kind_hash(p, s), path_hash(p, s->node)), t->tid), s->time_ns / WINDOW_NS),
		   s->cpu == DUSK_NO_CPU ? 0 : s->time_ns);
}

static struct totals *totals_of(const struct dusk_profile *p, key_fn key)
{
	struct totals *t = calloc(1, sizeof(*t));

	assert_non_null(t);
	for (uint64_t i = 0; i < p->nr_samples; i++) {
		const struct dusk_sample *s = &p->samples[i];
		bool fresh;
		uint32_t *row = map_at(&t->row, key(p, s), &fresh);

		assert_non_null(row);
		if (fresh) {
			*row = t->nr++;
			t->v[*row].key = key(p, s);
		}
		t->v[*row].count += s->count;
		t->v[*row].ns += s->value_ns;
		t->v[*row].runnable_ns += s->runnable_ns;
	}
	return t;
}

static void totals_free(struct totals *t)
{
	map_done(&t->row);
	free(t);
}

static void assert_same(struct totals *a, struct totals *b)
{
	assert_int_equal(a->nr, b->nr);
	for (uint32_t i = 0; i < a->nr; i++) {
		const uint32_t *row = map_find(&b->row, a->v[i].key);

		assert_non_null(row);
		assert_int_equal(a->v[i].count, b->v[*row].count);
		assert_int_equal(a->v[i].ns, b->v[*row].ns);
		assert_int_equal(a->v[i].runnable_ns, b->v[*row].runnable_ns);
	}
	totals_free(a);
	totals_free(b);
}

static uint64_t counted(const struct dusk_profile *p, const char *name)
{
	for (uint32_t i = 0; i < p->nr_counters; i++)
		if (!strcmp(p->counters[i].name, name))
			return p->counters[i].value;
	return 0;
}

static uint64_t set(const struct dusk_profile *p, const char *name)
{
	const char *value = dusk_profile_setting(p, name);

	return value ? strtoull(value, NULL, 10) : 0;
}

static void without_a_limit_nothing_is_lost(void **state)
{
	for (int round = 0; round < ROUNDS; round++) {
		_cleanup_(profile_freep) struct dusk_profile *p = made();
		struct totals *before = totals_of(p, by_all);

		assert_int_equal(dusk_profile_reduce(p, WINDOW_NS, UINT64_MAX, NULL), 0);
		assert_same(before, totals_of(p, by_all));
		assert_int_equal(p->nr_thread_times, THREADS);
		assert_int_equal(set(p, "rare_ns"), 0);
		assert_int_equal(set(p, "window_ns"), WINDOW_NS);
		assert_int_equal(counted(p, "threads-alike") + counted(p, "intervals-summed"), 0);
		assert_int_equal(counted(p, "stacks-shortened"), 0);
		for (uint32_t i = 1; i < p->nr_frames; i++)
			assert_true(i == 1 || p->frames[i - 1].module < p->frames[i].module ||
				    p->frames[i - 1].offset < p->frames[i].offset);
	}
}

/* The time of each node of @p, to be freed, with what it calls. */
static uint64_t *times_of(const struct dusk_profile *p)
{
	uint64_t *ns = calloc(p->nr_nodes, sizeof(*ns));

	assert_non_null(ns);
	for (uint64_t i = 0; i < p->nr_samples; i++)
		ns[p->samples[i].node] += p->samples[i].value_ns;
	for (uint32_t i = p->nr_nodes; i-- > 1;)
		ns[p->nodes[i].parent] += ns[i];
	return ns;
}

/* Add up the time of paths that are written the same; nodes of a random tree may have equal siblings. */
static uint64_t time_of(const struct dusk_profile *p, const uint64_t *ns, uint64_t path)
{
	uint64_t sum = 0;

	for (uint32_t i = 1; i < p->nr_nodes; i++)
		if (path_hash(p, i) == path)
			sum += ns[i];
	return sum;
}

static void what_is_frequent_stays_and_the_innermost_function_of_what_is_rare(void **state)
{
	for (int round = 0; round < ROUNDS; round++) {
		_cleanup_(profile_freep) struct dusk_profile *p = made(), *small = NULL;
		const struct dusk_profile *part = p;
		struct totals *before = totals_of(p, by_self);
		uint64_t max_bytes = 32000 + rand() % 8000, all, shortened = 0, rare_ns;

		assert_int_equal(dusk_profile_merge(&small, &part, 1, 0, 0, NULL), 0);
		assert_int_equal(dusk_profile_reduce(small, WINDOW_NS, max_bytes, NULL), 0);
		assert_same(before, totals_of(small, by_self));
		rare_ns = set(small, "rare_ns");
		_cleanup_(freep) uint64_t *was = times_of(p), *is = times_of(small);

		for (uint32_t i = 1; i < p->nr_nodes; i += 7)
			if (was[i] >= rare_ns && was[i]) {
				all = time_of(p, was, path_hash(p, i));
				assert_int_equal(all, time_of(small, is, path_hash(p, i)));
			}
		for (uint64_t i = 0; i < small->nr_samples; i++) {
			uint32_t node = small->samples[i].node, marks = 0;

			assert_false(is_mark(small, node));
			for (; node; node = small->nodes[node].parent)
				marks += is_mark(small, node);
			assert_true(marks <= 1);
			shortened += marks * small->samples[i].count;
		}
		for (uint32_t i = 1; i < small->nr_nodes; i++)
			assert_true(small->nodes[i].parent < i);
		assert_int_equal(counted(small, "stacks-shortened"), shortened);
		assert_true(rare_ns || !shortened);
	}
}

static void it_gets_as_small_as_it_can_and_again_is_no_change(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *p = made();
	uint32_t nr_nodes = p->nr_nodes;
	uint64_t nr, intervals = 0, shortened;
	struct totals *before;

	for (uint64_t i = 0; i < p->nr_samples; i++)
		intervals += p->samples[i].cpu != DUSK_NO_CPU;
	assert_true(intervals > 0);
	assert_int_equal(dusk_profile_reduce(p, WINDOW_NS, 1, NULL), 0);
	assert_true(p->nr_nodes < nr_nodes);
	assert_int_equal(set(p, "window_ns"), 3600 * S);
	assert_int_equal(counted(p, "intervals-summed"), intervals);
	assert_int_equal(p->nr_wakers, 1);
	for (uint64_t i = 0; i < p->nr_samples; i++)
		assert_int_equal(p->samples[i].cpu, DUSK_NO_CPU);
	for (uint64_t i = 1; i < p->nr_samples; i++)
		assert_true(p->samples[i - 1].time_ns <= p->samples[i].time_ns);
	before = totals_of(p, by_all);
	nr = p->nr_samples;
	nr_nodes = p->nr_nodes;
	shortened = counted(p, "stacks-shortened");
	assert_true(shortened > 0);
	assert_int_equal(dusk_profile_reduce(p, 3600 * S, 1, NULL), 0);
	assert_same(before, totals_of(p, by_all));
	assert_int_equal(p->nr_samples, nr);
	assert_int_equal(p->nr_nodes, nr_nodes);
	assert_int_equal(counted(p, "stacks-shortened"), shortened);
	assert_int_equal(counted(p, "intervals-summed"), intervals);
}

static void threads_of_one_window_become_one_with_those_alike(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *p = made();
	uint32_t several = 0;

	assert_int_equal(dusk_profile_reduce(p, WINDOW_NS, 1, NULL), 0);
	/* Of six that were in a window only, each of three names is in a cgroup and not; the others stay as they are. */
	assert_int_equal(p->nr_threads, THREADS - counted(p, "threads-alike"));
	assert_int_equal(p->nr_thread_times, 0);
	for (uint32_t i = 0; i < p->nr_threads; i++)
		several += !p->threads[i].tid;
	assert_int_equal(several, 0);
	assert_int_equal(p->nr_threads, THREADS);

	for (uint32_t i = 0; i < THREADS; i++)
		threads[i].comm = "sh";
	_cleanup_(profile_freep) struct dusk_profile *q = made();

	make_tables(NULL);
	assert_int_equal(dusk_profile_reduce(q, WINDOW_NS, 1, NULL), 0);
	assert_int_equal(counted(q, "threads-alike"), THREADS / 2 - 2);
	assert_int_equal(q->nr_threads, THREADS / 2 + 2);
	for (uint32_t i = 0; i < q->nr_threads; i++) {
		const struct dusk_thread *t = &q->threads[i];

		assert_int_equal(t->tid != 0, t->tid >= 100 + THREADS / 2);
		several += !t->tid;
	}
	assert_int_equal(several, 2);
}

static void in_longer_windows_more_threads_are_in_one_only(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *p = made();

	/* A thread that is in two minutes of one hour. */
	for (uint64_t i = 0; i < p->nr_samples; i++)
		if (p->samples[i].thread >= THREADS / 2)
			p->samples[i].time_ns = i % 2 * 2 * WINDOW_NS;
	qsort(p->samples, p->nr_samples, sizeof(*p->samples), by_time);
	for (uint32_t i = 0; i < p->nr_threads; i++) {
		p->threads[i].comm = p->threads[0].comm;
		p->threads[i].cgroup = 0;
	}
	assert_int_equal(dusk_profile_reduce(p, WINDOW_NS, 1, NULL), 0);
	assert_int_equal(p->nr_threads, 1);
	assert_int_equal(counted(p, "threads-alike"), THREADS - 1);
}

static void a_window_is_needed(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *p = made();
	struct dusk_error err = {""};

	assert_int_equal(dusk_profile_reduce(p, 0, 1, &err), -EINVAL);
	assert_string_not_equal(err.text, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_limit_nothing_is_lost),
		cmocka_unit_test(what_is_frequent_stays_and_the_innermost_function_of_what_is_rare),
		cmocka_unit_test(it_gets_as_small_as_it_can_and_again_is_no_change),
		cmocka_unit_test(threads_of_one_window_become_one_with_those_alike),
		cmocka_unit_test(in_longer_windows_more_threads_are_in_one_only),
		cmocka_unit_test(a_window_is_needed),
	};

	srand(5);
	return cmocka_run_group_tests(tests, make_tables, NULL);
}
