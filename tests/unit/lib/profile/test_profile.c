/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Is what was written what is read? */
#include <sys/stat.h>

#include "lib/profile/sums/window_block.h"
#include "profile_fixture.h"
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static void what_was_written_is_read(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *p = NULL;

	(void)state;
	make_small();
	p = opened(path);
	assert_true(p->finished);
	assert_false(p->symbolized);
	assert_int_equal(p->period_ns, 10101010);
	assert_string_equal(dusk_profile_setting(p, "command"), "dusk record -a");
	assert_null(dusk_profile_setting(p, "nothing"));

	assert_int_equal(p->nr_modules, 3);
	assert_int_equal(p->modules[0].kind, DUSK_MODULE_NONE);
	assert_int_equal(p->modules[1].kind, libc.kind);
	assert_int_equal(p->modules[1].pid, libc.pid);
	assert_string_equal(p->modules[1].path, libc.path);
	assert_string_equal(p->modules[1].build_id, libc.build_id);
	assert_true(p->modules[1].dev == libc.dev && p->modules[1].ino == libc.ino);
	assert_true(p->modules[1].generation == libc.generation);
	assert_int_equal(p->modules[2].kind, DUSK_MODULE_KERNEL);
	assert_string_equal(p->modules[2].build_id, "");

	assert_int_equal(p->nr_functions, 1);
	assert_int_equal(p->nr_frames, 4);
	assert_int_equal(p->frames[1].module, 1);
	assert_int_equal(p->frames[1].offset, 0x1000);
	assert_int_equal(p->frames[1].address, 0x1000);
	assert_true(p->frames[1].is_return);
	assert_false(p->frames[2].is_return);
	assert_int_equal(p->frames[2].method, DUSK_BY_CFI);
	assert_int_equal(p->frames[3].method, DUSK_BY_NOTHING);
	assert_true(p->frames[3].offset == 0xffffffff81000100);
	assert_int_equal(p->nr_nodes, 4);
	assert_int_equal(p->nodes[3].parent, 2);
	assert_int_equal(p->nodes[3].frame, 3);
	assert_int_equal(p->nodes[1].parent, 0);

	assert_int_equal(p->nr_threads, 2);
	assert_string_equal(p->threads[1].comm, "two");
	assert_int_equal(p->threads[1].pid, 100);
	assert_int_equal(p->threads[1].tid, 101);

	assert_int_equal(p->nr_counters, 2);
	assert_string_equal(p->counters[0].name, "lost-samples");
	assert_true(p->counters[0].value == UINT64_MAX);
	assert_string_equal(p->counters[1].sentence, "stacks walked");
}

static void samples_come_by_time(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *p = NULL;

	(void)state;
	make_small();
	p = opened(path);
	assert_int_equal(p->nr_samples, 4);
	assert_int_equal(p->samples[0].time_ns, 1000000);
	assert_int_equal(p->samples[0].node, 2);
	assert_int_equal(p->samples[0].thread, 0);
	assert_int_equal(p->samples[0].outcome, UNDEFINED_RA);
	assert_int_equal(p->samples[1].outcome, STACK_UNREADABLE);
	assert_int_equal(p->samples[2].node, 0);
	assert_true(p->samples[3].time_ns == 3000000000);
	assert_int_equal(p->samples[3].cpu, 65535);
	assert_int_equal(p->samples[3].source, 0);
	assert_int_equal(p->samples[3].thread, 1);
}

static void outcomes_are_those_of_the_table(void **state)
{
	static const char *const names[] = {
#define X(code, name, class, sentence) name,
		OUTCOMES(X)
#undef X
	};
	_cleanup_(profile_freep) struct dusk_profile *p = NULL;

	(void)state;
	make_small();
	p = opened(path);
	assert_int_equal(p->nr_outcomes, NR_OUTCOMES);
	for (int i = 0; i < NR_OUTCOMES; i++)
		assert_string_equal(p->outcomes[i].name, names[i]);
	assert_int_equal(p->outcomes[UNDEFINED_RA].kind, DUSK_COMPLETE);
	assert_int_equal(p->outcomes[NO_MAPPING].kind, DUSK_CUT);
	assert_int_equal(p->outcomes[RING_LOST].kind, DUSK_NO_STACK);
	assert_int_equal(p->outcomes[KERNEL_THREAD].kind, DUSK_ABSENT);
}

static void the_same_gets_the_same_index(void **state)
{
	struct profile_writer *w = created();
	struct dusk_module m = libc, anon = {.kind = DUSK_MODULE_ANON, .pid = 1, .path = "[anon]"};
	uint32_t file = profile_module(w, &m), jit = profile_module(w, &anon), frame, node;

	(void)state;
	m.pid++;
	assert_int_equal(profile_module(w, &m), file);
	m.generation++;
	assert_int_not_equal(profile_module(w, &m), file);
	assert_int_equal(profile_module(w, &anon), jit);
	anon.pid++;
	assert_int_not_equal(profile_module(w, &anon), jit);

	frame = profile_frame(w, file, 0x1000, false, DUSK_BY_CFI);
	assert_int_equal(profile_frame(w, file, 0x1000, false, DUSK_BY_CFI), frame);
	assert_int_not_equal(profile_frame(w, file, 0x1000, true, DUSK_BY_CFI), frame);
	assert_int_not_equal(profile_frame(w, jit, 0x1000, false, DUSK_BY_CFI), frame);
	assert_int_not_equal(profile_frame(w, file, 0x1000, false, DUSK_BY_SFRAME), frame);
	node = profile_node(w, 0, frame);
	assert_int_equal(profile_node(w, 0, frame), node);
	assert_int_not_equal(profile_node(w, node, frame), node);

	assert_int_equal(profile_thread(w, 1, 1, "a"), profile_thread(w, 1, 1, "a"));
	assert_int_not_equal(profile_thread(w, 1, 1, "a"), profile_thread(w, 1, 1, "b"));
	assert_int_not_equal(profile_thread(w, 1, 1, "a"), profile_thread(w, 1, 2, "a"));
	close_finished(w);
}

static void a_module_is_completed_later(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *p = NULL;
	struct profile_writer *w = created();
	struct dusk_module bare = {.kind = DUSK_MODULE_FILE, .dev = 1, .ino = 2}, whole = bare;
	uint32_t module = profile_module(w, &bare);

	(void)state;
	profile_commit(w, NULL);
	whole.path = "/bin/late";
	profile_module_update(w, module, &whole);
	assert_int_equal(profile_module(w, &whole), module);
	bare.build_id = "ffee";
	profile_module_update(w, module, &bare);
	close_finished(w);
	p = opened(path);
	assert_int_equal(p->nr_modules, 2);
	assert_string_equal(p->modules[module].path, "/bin/late");
	assert_string_equal(p->modules[module].build_id, "ffee");
}

static void symbols_are_saved_and_read(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *p = NULL, *q = NULL;
	struct dusk_function functions[] = {{"", "", ""}, {"a::b", "_ZN1a1bEv", "libc.so.6"}, {"c", "c", "[kernel]"}};
	struct dusk_function *own;
	struct dusk_error err;

	(void)state;
	make_small();
	p = opened(path);
	own = p->functions;
	p->functions = functions;
	p->nr_functions = 3;
	p->frames[1].function = 1;
	p->frames[1].function_offset = 0x10;
	p->frames[1].address = 0x401000;
	p->frames[3].function = 2;
	/* The look-up was ended first: what has a name says nothing of the rest. */
	for (int all = 0; all < 2; all++) {
		_cleanup_(profile_freep) struct dusk_profile *saved = NULL;

		p->symbolized = all;
		assert_int_equal(dusk_profile_save_symbols(p, path, &err), 0);
		saved = opened(path);
		assert_int_equal(saved->symbolized, all);
		assert_int_equal(saved->nr_functions, 3);
	}
	p->functions = own;
	q = opened(path);
	assert_true(q->symbolized);
	assert_int_equal(q->nr_functions, 3);
	assert_string_equal(q->functions[1].name, "a::b");
	assert_string_equal(q->functions[1].symbol, "_ZN1a1bEv");
	assert_string_equal(q->functions[1].module, "libc.so.6");
	assert_string_equal(q->functions[2].symbol, "c");
	assert_int_equal(q->frames[1].function, 1);
	assert_int_equal(q->frames[1].function_offset, 0x10);
	assert_int_equal(q->frames[1].address, 0x401000);
	assert_int_equal(q->frames[1].method, DUSK_BY_CFI);
	assert_int_equal(q->frames[2].function, 0);
	assert_int_equal(q->nr_samples, 4);

	assert_string_equal(queried("select folded,samples from stacks order by id"),
			    "a::b;libc.so.6+0x2000|2 / a::b;libc.so.6+0x2000;c|1");
	assert_string_equal(queried("select function,module,comm,samples from top_functions"),
			    "libc.so.6+0x2000|libc.so.6|one|2 / [ring-lost]|NULL|one|1 / c|[kernel]|two|1");
	assert_string_equal(queried("select time_s,pid,tid,comm,cpu,function,module,outcome from samples where cpu=1"),
			    "0.002|100|100|one|1|libc.so.6+0x2000|libc.so.6|stack-unreadable");
	assert_string_equal(queried("select name,value from losses order by 1"), "ring-lost|1 / stack-unreadable|1");
}

static void symbols_of_another_recording_are_not_saved(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *p = NULL;
	struct dusk_error err;

	(void)state;
	make_small();
	p = opened(path);
	close_finished(created());
	assert_int_equal(dusk_profile_save_symbols(p, path, &err), -ESTALE);
	copy_file(copy, "/proc/self/status", SIZE_MAX);
	assert_int_equal(dusk_profile_save_symbols(p, copy, &err), -EINVAL);
}

static void many_samples_in_disorder_come_by_time(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *p = NULL;
	struct profile_writer *w = created();
	uint32_t thread = profile_thread(w, 1, 1, "x"), seed = 3;
	uint64_t sum = 0;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		seed = seed * 1664525 + 1013904223;
		profile_sample(w,
			       &(struct dusk_sample){.time_ns = (seed >> 4) * 1000ULL, .thread = thread, .outcome = 1});
		sum += seed >> 4;
		if (i % 1000 == 0)
			assert_int_equal(profile_commit(w, NULL), 0);
	}
	close_finished(w);
	p = opened(path);
	assert_int_equal(p->nr_samples, 20000);
	for (int i = 0; i < 20000; i++) {
		if (i)
			assert_true(p->samples[i].time_ns >= p->samples[i - 1].time_ns);
		sum -= p->samples[i].time_ns / 1000;
	}
	assert_int_equal(sum, 0);
}

/* Stacks as they come: 500 of 30 frames, that share their outer part and use the same functions again. */
static void a_sample_takes_few_bytes(void **state)
{
	struct profile_writer *w = created();
	uint32_t file = profile_module(w, &libc), seed = 5;
	struct stat st;

	(void)state;
	for (int i = 0; i < 5000; i++) {
		uint32_t node = 0, stack = i % 500;

		for (int d = 0; d < 30; d++) {
			uint32_t branch = d < 20 ? stack % (1 + d) : d < 26 ? stack % 100 : stack;
			uint32_t place = (branch * 2654435761u + d * 40503) % 2000;

			node = profile_node(w, node, profile_frame(w, file, 0x20000 + place * 211, true, DUSK_BY_CFI));
		}
		seed = seed * 1664525 + 1013904223;
		profile_sample(w, &(struct dusk_sample){
					  .time_ns = i * 2000000ULL,
					  .node = node,
					  .cpu = i & 1,
					  .outcome = 1,
					  .thread = profile_thread(w, 1000 + seed % 40, 1000 + seed % 40, "worker")});
	}
	close_finished(w);
	assert_int_equal(stat(path, &st), 0);
	print_message("%.1f bytes a sample\n", st.st_size / 5000.0);
	assert_in_range(st.st_size, 1, 62 * 5000);
}

/* Where all stand for the period there is no column, which would cost them a byte each. */
static void a_tick_may_stand_for_more_than_the_period(void **state)
{
	static const char asks[] = "select count(*) from pragma_table_info('sample') where name='value'";
	_cleanup_(profile_freep) struct dusk_profile *p = NULL;
	struct profile_writer *w;

	make_small();
	assert_string_equal(queried(asks), "0");
	w = created();
	write_small(w);
	for (uint64_t i = 0; i < 3; i++)
		profile_sample(w, &(struct dusk_sample){.time_ns = 5000000000 + i * 1000, .value_ns = i * 7});
	close_finished(w);
	p = opened(path);
	assert_string_equal(queried(asks), "1");
	assert_int_equal(p->nr_samples, 7);
	assert_int_equal(p->samples[0].value_ns, 10101010);
	assert_int_equal(p->samples[4].value_ns, 10101010);
	assert_int_equal(p->samples[5].value_ns, 7);
	assert_int_equal(p->samples[6].value_ns, 14);
}

/* Two samples of the same stack and one of another, an interval, and two sums of intervals, by windows of a second. */
static struct profile_writer *with_windows(void)
{
	struct profile_writer *w = created();
	uint32_t file = profile_module(w, &libc), thread = profile_thread(w, 1, 1, "one");
	uint32_t outer = profile_node(w, 0, profile_frame(w, file, 0x1000, true, DUSK_BY_CFI));
	uint32_t inner = profile_node(w, outer, profile_frame(w, file, 0x2000, false, DUSK_BY_CFI));
	const struct dusk_sample samples[] = {
		{.time_ns = 5000, .thread = thread, .node = inner, .cpu = 1, .outcome = UNDEFINED_RA},
		{.time_ns = 6000, .thread = thread, .node = outer, .cpu = 0, .outcome = UNDEFINED_RA},
		{.time_ns = 7000, .thread = thread, .node = inner, .cpu = 0, .outcome = UNDEFINED_RA},
	};
	struct dusk_sample sum = {.source = DUSK_OFF_CPU,
				  .time_ns = 8000,
				  .thread = thread,
				  .node = inner,
				  .cpu = DUSK_NO_CPU,
				  .state = 1,
				  .count = 3,
				  .value_ns = 5000400,
				  .runnable_ns = 1000};
	struct dusk_sample interval = sum;

	interval.cpu = interval.count = 1;
	profile_set(w, "period_ns", "50000000");
	profile_sum_windows(w, 1000000000);
	for (int i = 0; i < 3; i++)
		profile_sample(w, &samples[i]);
	profile_sample(w, &sum);
	profile_sample(w, &sum);
	profile_sample(w, &interval);
	return w;
}

static void samples_are_summed_by_window(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *p = NULL;
	struct profile_writer *w = with_windows();

	(void)state;
	profile_end_window(w, 1000000000);
	profile_sample(w, &(struct dusk_sample){.time_ns = 1500000000, .node = 1, .outcome = UNDEFINED_RA});
	close_finished(w);
	p = opened(path);
	assert_int_equal(p->nr_samples, 5);
	assert_string_equal(queried("select id, start, length from window"), "1|0|1000000 / 2|1000000|1000000");
	for (int i = 0; i < 4; i++)
		assert_int_equal(p->samples[i].time_ns, i == 3 ? 8000 : 0);
	assert_int_equal(p->samples[0].node, 1);
	assert_int_equal(p->samples[0].count, 1);
	assert_int_equal(p->samples[0].cpu, DUSK_NO_CPU);
	assert_int_equal(p->samples[1].node, 2);
	assert_int_equal(p->samples[1].count, 2);
	assert_int_equal(p->samples[1].value_ns, 100000000);
	assert_int_equal(p->samples[1].outcome, UNDEFINED_RA);
	assert_int_equal(p->samples[2].source, DUSK_OFF_CPU);
	assert_int_equal(p->samples[2].state, 1);
	assert_int_equal(p->samples[2].count, 6);
	assert_int_equal(p->samples[2].value_ns, 10000000); /* in microseconds */
	assert_int_equal(p->samples[2].runnable_ns, 2000);
	assert_int_equal(p->samples[3].cpu, 1);
	assert_int_equal(p->samples[3].value_ns, 5000400);
	assert_int_equal(p->samples[4].time_ns, 1000000000);
}

static void what_a_window_has_is_what_can_be_read(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *p = NULL;
	struct profile_writer *w = created();
	struct dusk_sample much = {.source = DUSK_OFF_CPU,
				   .cpu = DUSK_NO_CPU,
				   .state = 1,
				   .count = UINT32_MAX,
				   .value_ns = 1ULL << 62,
				   .runnable_ns = 1ULL << 62};

	(void)state;
	profile_thread(w, 1, 1, "one");
	profile_set(w, "period_ns", "50000000");
	profile_sum_windows(w, 1000000000);
	profile_sample(w, &(struct dusk_sample){.outcome = UNDEFINED_RA, .value_ns = 500});
	for (int i = 0; i < 5; i++)
		profile_sample(w, &much);
	close_finished(w);
	p = opened(path);
	assert_int_equal(p->nr_samples, 2);
	assert_int_equal(p->samples[0].value_ns, 1000); /* not the period */
	assert_int_equal(p->samples[1].count, UINT32_MAX);
	assert_true(p->samples[1].value_ns == ((1ULL << 62) / 1000) * 1000);
	assert_true(p->samples[1].runnable_ns == p->samples[1].value_ns);
}

static void a_kill_loses_no_more_than_the_open_window(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *p = NULL;
	struct profile_writer *w = with_windows();

	(void)state;
	profile_end_window(w, 999999999);
	assert_int_equal(profile_commit(w, NULL), 0);
	assert_int_equal(profile_read_so_far(w, &p, NULL), 0);
	assert_int_equal(p->nr_samples, 1);
	dusk_profile_free(p);
	profile_end_window(w, 1000000000);
	assert_int_equal(profile_commit(w, NULL), 0);
	assert_int_equal(profile_read_so_far(w, &p, NULL), 0);
	assert_int_equal(p->nr_samples, 4);
	profile_discard(w);
}

/* What `dusk query` gives, as queried(): it reads what is packed, too. */
static const char *asked(const char *sql)
{
	static char text[4096];
	struct dusk_query *q = NULL;
	struct dusk_error err = {""};
	struct dusk_value v;
	size_t len = 0;

	text[0] = 0;
	if (dusk_query_new(&q, path, sql, &err))
		fail_msg("%s", err.text);
	while (dusk_query_next(q, &err) > 0)
		for (uint32_t i = 0; i < dusk_query_columns(q); i++) {
			dusk_query_value(q, i, &v);
			len += snprintf(text + len, sizeof(text) - len, "%s", !len ? "" : i ? "|" : " / ");
			if (v.kind == DUSK_VALUE_INTEGER)
				len += snprintf(text + len, sizeof(text) - len, "%lld", (long long)v.integer);
			else if (v.kind == DUSK_VALUE_REAL)
				len += snprintf(text + len, sizeof(text) - len, "%g", v.real);
			else
				len += snprintf(text + len, sizeof(text) - len, "%s", v.text);
		}
	dusk_query_free(q);
	return text;
}

static void each_window_has_what_was_counted_in_its_time(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *p = NULL;
	struct profile_writer *w = with_windows();

	(void)state;
	profile_count(w, "samples", "samples taken", 100);
	profile_count(w, "lost-samples", "lost", 0);
	profile_count(w, "frames", "not kept by windows", 7);
	profile_end_window(w, 1000000000);
	profile_count(w, "samples", "samples taken", 100);
	profile_count(w, "lost-samples", "lost", 2);
	profile_end_window(w, 2000000000);
	profile_count(w, "samples", "samples taken", 130);
	profile_counter(w, "lost-stacks", "set at the end, which is no count of a window", 5);
	close_finished(w);
	assert_string_equal(asked("select time_s,name,value,sentence from counts"),
			    "0|samples|100|samples taken / 1|lost-samples|2|lost / 2|samples|30|samples taken");
	assert_string_equal(asked("select name,value from counter"),
			    "frames|7 / lost-samples|2 / lost-stacks|5 / samples|130");
	p = opened(path);
	assert_int_equal(p->nr_window_counts, 3);
	assert_int_equal(p->window_counts[2].value, 30);
	assert_int_equal(p->window_counts[2].time_ns, 2000000000);
}

static char *folded(const struct dusk_profile *p)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	for (uint64_t i = 0; i < p->nr_samples; i++) {
		const struct dusk_thread *t = &p->threads[p->samples[i].thread];

		fprintf(out, "%s %d %s %s %u", t->comm, t->tid, t->title, t->service, p->samples[i].count);
		for (uint32_t n = p->samples[i].node; n; n = p->nodes[n].parent) {
			const struct dusk_frame *f = &p->frames[p->nodes[n].frame];

			fprintf(out, " %s+%llx %d", p->modules[f->module].path, (unsigned long long)f->offset,
				f->method);
		}
		fputc('\n', out);
	}
	fclose(out);
	return text;
}

/* The rows that a recording has written, with all that may be in them. */
static struct profile_writer *with_all(void)
{
	struct profile_writer *w = with_windows();
	struct dusk_sample long_one = {.source = DUSK_OFF_CPU,
				       .time_ns = 500000000,
				       .thread = profile_thread(w, 9, 9, "nine"),
				       .node = 1,
				       .cpu = 1,
				       .state = 1,
				       .count = 1,
				       .value_ns = 400000000};
	uint64_t number = profile_new_interval(w);

	profile_process(w, long_one.thread, &(struct profile_process){"nine --all", "service", NULL});
	profile_interval(w, &long_one, number);
	profile_waker(w, &(struct dusk_waker){.kind = DUSK_WAKER_TASK, .thread = 0, .node = 2, .outcome = UNDEFINED_RA},
		      number);
	profile_thread_times(w, &(struct dusk_thread_times){.thread = 1, .end_ns = 1000, .on_cpu_ns = 1000});
	profile_count(w, "samples", "samples taken", 3);
	return w;
}

static void a_recording_with_windows_is_packed_when_it_is_over(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *so_far = NULL, *p = NULL;
	_cleanup_(freep) char *before = NULL, *after = NULL;
	struct profile_writer *w = with_all();

	(void)state;
	assert_int_equal(profile_finish(w, NULL), 0);
	assert_int_equal(profile_read_so_far(w, &so_far, NULL), 0);
	before = folded(so_far);
	close_finished(w);
	p = opened(path);
	after = folded(p);
	assert_string_equal(before, after);
	assert_non_null(strstr(after, "nine 9 nine --all service 1"));
	assert_int_equal(p->nr_wakers, 2);
	assert_int_equal(p->wakers[p->samples[p->nr_samples - 1].waker].node, 2);
	assert_int_equal(p->nr_thread_times, 1);
	assert_int_equal(p->nr_window_counts, 1);
	/* Nothing is in the tables, and no page is left over. */
	assert_string_equal(
		queried("select (select count(*) from node)+(select count(*) from frame)+(select count(*) from "
			"thread)+(select count(*) from offcpu)+(select count(*) from window_count)"),
		"0");
	assert_string_equal(queried("pragma freelist_count"), "0");
	assert_string_equal(queried("pragma user_version"), "1");
	assert_string_equal(asked("select comm,state,off_ms from intervals"),
			    "one|sleeping|5.0004 / nine|sleeping|400");
	assert_string_equal(asked("select pid,title from labels where pid=9"), "9|nine --all");
}

/* What is written while it goes on is read, though nodes are in blocks already. */
static void a_recording_with_windows_that_was_killed_is_read(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *p = NULL;
	pid_t child = fork();

	(void)state;
	if (!child) {
		struct profile_writer *w = with_all();

		profile_end_window(w, 1000000000);
		profile_commit(w, NULL);
		profile_node(w, 2, 1); /* after the last commit */
		raise(SIGKILL);
	}
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_int_equal(dusk_profile_recover(path, 0, NULL), 0);
	p = opened(path);
	assert_int_equal(p->nr_samples, 5);
	assert_int_equal(p->nr_nodes, 3);
}

/* A recorder of windows of a second, which began at second 100 of the clock, is killed in the second one. */
static void killed_in_a_window(void)
{
	struct profile_writer *w = with_windows();
	pid_t child;

	profile_discard(w);
	child = fork();
	if (!child) {
		w = with_windows();
		profile_set(w, "window_ns", "1000000000");
		profile_set(w, "start_monotonic_ns", "100000000000");
		profile_count(w, "samples", "samples taken", 3);
		profile_set(w, "duration_ns", "1200000000"); /* it was held up */
		profile_end_window(w, 1200000000);
		profile_count(w, "samples", "samples taken", 5);
		profile_commit(w, NULL);
		raise(SIGKILL);
	}
	assert_int_equal(waitpid(child, NULL, 0), child);
}

static void the_window_that_a_kill_has_lost_is_counted(void **state)
{
	(void)state;
	killed_in_a_window();
	/* Once, however often it is tried, as when the disk is full: here, the profile cannot have its name. */
	unlink(path);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_not_equal(dusk_profile_recover(path, 0, NULL), 0);
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(dusk_profile_recover(path, 0, NULL), 0);
	assert_string_equal(queried("select time_s,name,value from counts"), "0.0|samples|3 / 1.2|lost-windows|1");
	assert_string_equal(queried("select value from counter where name='lost-windows'"), "1");
}

static void each_window_that_a_kill_has_lost_is_counted(void **state)
{
	static const struct {
		uint64_t alive_ns;
		const char *lost;
	} seen[] = {{100000000000, "1"},
		    {101200000001, "1"},
		    {102200000000, "1"},
		    {102200000001, "2"},
		    {104500000000, "4"}};

	(void)state;
	for (size_t i = 0; i < sizeof(seen) / sizeof(*seen); i++) {
		char want[64];

		killed_in_a_window();
		assert_int_equal(dusk_profile_recover(path, seen[i].alive_ns, NULL), 0);
		snprintf(want, sizeof(want), "0.0|samples|3 / 1.2|lost-windows|%s", seen[i].lost);
		assert_string_equal(queried("select time_s,name,value from counts"), want);
		assert_string_equal(queried("select value from counter where name='lost-windows'"), seen[i].lost);
	}
}

static void a_window_of_many_stacks_is_several_blocks(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *p = NULL;
	struct profile_writer *w = with_windows();
	uint32_t file = profile_module(w, &libc), node = 0;
	uint64_t nr = 0;

	(void)state;
	for (uint32_t i = 0; i < BLOCK_ROWS_MAX + 10; i++) {
		if (i % 64 == 0)
			node = 0;
		node = profile_node(w, node, profile_frame(w, file, i, true, DUSK_BY_CFI));
		profile_sample(w, &(struct dusk_sample){.node = node, .outcome = UNDEFINED_RA});
	}
	close_finished(w);
	assert_string_equal(queried("select count(*) from window"), "2");
	p = opened(path);
	for (uint64_t i = 0; i < p->nr_samples; i++)
		nr += p->samples[i].source == DUSK_CPU ? p->samples[i].count : 0;
	assert_int_equal(nr, BLOCK_ROWS_MAX + 13);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_written_is_read),
		cmocka_unit_test(samples_come_by_time),
		cmocka_unit_test(outcomes_are_those_of_the_table),
		cmocka_unit_test(the_same_gets_the_same_index),
		cmocka_unit_test(a_module_is_completed_later),
		cmocka_unit_test(symbols_are_saved_and_read),
		cmocka_unit_test(symbols_of_another_recording_are_not_saved),
		cmocka_unit_test(many_samples_in_disorder_come_by_time),
		cmocka_unit_test(a_sample_takes_few_bytes),
		cmocka_unit_test(samples_are_summed_by_window),
		cmocka_unit_test(what_a_window_has_is_what_can_be_read),
		cmocka_unit_test(a_kill_loses_no_more_than_the_open_window),
		cmocka_unit_test(each_window_has_what_was_counted_in_its_time),
		cmocka_unit_test(a_recording_with_windows_is_packed_when_it_is_over),
		cmocka_unit_test(a_recording_with_windows_that_was_killed_is_read),
		cmocka_unit_test(the_window_that_a_kill_has_lost_is_counted),
		cmocka_unit_test(each_window_that_a_kill_has_lost_is_counted),
		cmocka_unit_test(a_window_of_many_stacks_is_several_blocks),
		cmocka_unit_test(a_tick_may_stand_for_more_than_the_period),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
