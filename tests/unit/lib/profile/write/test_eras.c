/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Is code that was several functions split by time, in memory and in the file, and all else left as it was? */
#include "profile_fixture.h"
#include "lib/profile/write/eras.h"

#define S 1000000000ULL
#define ANON_AT 0x7000

/* main -> code -> called, of which code is in memory that is used again; and a stack without it. */
struct stacks {
	uint32_t called, other, code_frame, thread;
};

static struct stacks write_stacks(struct profile_writer *w)
{
	const struct dusk_module file = {.kind = DUSK_MODULE_FILE, .path = "/bin/x", .build_id = ""},
				 anon = {.kind = DUSK_MODULE_ANON, .pid = 5, .path = "[anon]", .build_id = ""};
	uint32_t m = profile_module(w, &file), a = profile_module(w, &anon), node;
	struct stacks s;

	node = profile_node(w, 0, profile_frame(w, m, 1, true, DUSK_BY_CFI));
	s.other = profile_node(w, node, profile_frame(w, m, 2, false, DUSK_BY_CFI));
	s.code_frame = profile_frame(w, a, ANON_AT, true, DUSK_BY_FRAME_POINTER);
	node = profile_node(w, node, s.code_frame);
	s.called = profile_node(w, node, profile_frame(w, m, 3, false, DUSK_BY_CFI));
	s.thread = profile_thread(w, 5, 5, "x");
	return s;
}

static void sample_at(struct profile_writer *w, const struct stacks *s, uint32_t node, uint64_t time_ns)
{
	profile_end_window(w, time_ns);
	profile_sample(w, &(struct dusk_sample){.time_ns = time_ns, .thread = s->thread, .node = node, .count = 1});
}

/* The function of the generated code below @node, or "" if there is none. */
static const char *code_of(const struct dusk_profile *p, uint32_t node)
{
	for (; node; node = p->nodes[node].parent) {
		const struct dusk_frame *f = &p->frames[p->nodes[node].frame];

		if (p->modules[f->module].kind != DUSK_MODULE_ANON)
			continue;
		assert_int_equal(f->offset, ANON_AT);
		assert_true(f->is_return);
		assert_int_equal(f->method, DUSK_BY_FRAME_POINTER);
		assert_int_equal(p->modules[f->module].pid, 5);
		return p->functions[f->function].name;
	}
	return "no code";
}

/* Give it functions "a" and "b" as a look-up would, from 10 s to 20 s and from 30 s on, and split. */
static void split(struct profile_writer *w, uint32_t frame)
{
	static struct dusk_function functions[] = {{"", "", ""}, {"a", "a", "[anon]"}, {"b", "b", "[anon]"}};
	struct era v[] = {{10 * S, 20 * S, frame, 1, 7, true}, {30 * S, UINT64_MAX, frame, 2, 7, false}};
	struct eras eras = {v, 2, 2};
	struct dusk_profile *p;
	void *before;

	assert_int_equal(profile_finish(w, NULL), 0);
	assert_int_equal(profile_read_so_far(w, &p, NULL), 0);
	before = p->functions;
	p->functions = functions;
	p->nr_functions = 3;
	assert_int_equal(eras_split(&eras, p, w, NULL), 0);
	assert_int_equal(profile_save_names(w, p, NULL), 0);
	p->functions = before;
	dusk_profile_free(p);
	assert_int_equal(profile_close(w, true, NULL), 0);
}

static void eras__each_sample_has_the_function_of_its_time(void **state)
{
	static const struct {
		uint64_t s;
		const char *name;
	} expected[] = {{5, ""}, {10, "a"}, {19, "a"}, {20, ""}, {29, ""}, {30, "b"}, {1000, "b"}};
	struct profile_writer *w = created();
	struct stacks s = write_stacks(w);

	for (size_t i = 0; i < 7; i++) {
		sample_at(w, &s, s.called, expected[i].s * S);
		sample_at(w, &s, s.other, expected[i].s * S + 1000);
	}
	split(w, s.code_frame);
	_cleanup_(profile_freep) struct dusk_profile *p = opened(path);

	assert_int_equal(p->nr_samples, 14);
	for (size_t i = 0; i < 14; i++)
		assert_string_equal(code_of(p, p->samples[i].node), i % 2 ? "no code" : expected[i / 2].name);
	assert_int_equal(p->nr_frames, 1 + 4 + 2);
	assert_int_equal(p->frames[p->nr_frames - 1].function_offset, 7);
}

static void eras__intervals_wakers_and_events_follow(void **state)
{
	struct profile_writer *w = created();
	struct stacks s = write_stacks(w);
	struct dusk_sample at = {
		.thread = s.thread, .node = s.called, .count = 1, .source = DUSK_OFF_CPU, .value_ns = S};
	uint64_t interval = profile_new_interval(w);

	at.time_ns = 15 * S;
	profile_interval(w, &at, interval);
	profile_waker(w, &(struct dusk_waker){.node = s.called, .thread = s.thread, .kind = DUSK_WAKER_TASK}, interval);
	at.cpu = DUSK_NO_CPU; /* sums of the time before: the second one is of both */
	profile_sample(w, &at);
	at.time_ns = 31 * S;
	profile_sample(w, &at);
	at.time_ns = 33 * S;
	profile_sample(w, &at);
	profile_event(w, "e");
	profile_occurrence(
		w, &(struct dusk_occurrence){.sample = {.time_ns = 40 * S, .thread = s.thread, .node = s.called},
					     .fields = ""});
	split(w, s.code_frame);
	_cleanup_(profile_freep) struct dusk_profile *p = opened(path);

	assert_int_equal(p->nr_samples, 4);
	for (int i = 0; i < 4; i++)
		assert_string_equal(code_of(p, p->samples[i].node), i < 2 ? "a" : i == 2 ? "" : "b");
	assert_int_equal(p->nr_wakers, 2);
	assert_string_equal(code_of(p, p->wakers[1].node), "a");
	assert_string_equal(code_of(p, p->occurrences[0].sample.node), "b");
}

static void eras__a_window_with_a_change_has_no_function(void **state)
{
	struct profile_writer *w = created();
	struct stacks s;
	uint64_t seen[3] = {0};

	profile_set_u64(w, "window_ns", 7 * S);
	profile_sum_windows(w, 7 * S);
	s = write_stacks(w);
	for (uint64_t t = 0; t < 70; t++) {
		sample_at(w, &s, s.called, t * S);
		sample_at(w, &s, s.other, t * S + 1000);
	}
	split(w, s.code_frame);
	_cleanup_(profile_freep) struct dusk_profile *p = opened(path);

	for (uint64_t i = 0; i < p->nr_samples; i++) {
		const char *name = code_of(p, p->samples[i].node);

		if (strcmp(name, "no code") != 0)
			seen[*name ? *name - 'a' + 1 : 0] += p->samples[i].count;
	}
	/*
	 * Windows begin at 0, 7, 14, 21, 28, 35 s: "a" begins in the second, where nothing else is known, and ends in the third.
	 * Samples of a window may be two seconds earlier or later. */
	assert_int_equal(seen[1], 7);
	assert_int_equal(seen[2], 35);
	assert_int_equal(seen[0], 28);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(eras__each_sample_has_the_function_of_its_time),
		cmocka_unit_test(eras__intervals_wakers_and_events_follow),
		cmocka_unit_test(eras__a_window_with_a_change_has_no_function),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
