/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The page of the flame graph, read back: by code that shares nothing with what wrote it. */
#include <ctype.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "report/model/filter.h"
#include "flame_reader.h"
#include "folded_profile.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void open_two(struct flame_reader *r, const struct dusk_profile *before, const struct dusk_profile *after,
		     const char *title)
{
	struct flame_page page = {title, after ? 2 : 1, {before, after}, {"before.dusk", "after.dusk"}};

	assert_int_equal(reader_open(r, &page), 0);
	reader_views(r);
}

static void open_one(struct flame_reader *r, const struct dusk_profile *p, const char *title)
{
	open_two(r, p, NULL, title);
}

static void assert_text(struct flame_reader *r, const char *sql, const char *expected)
{
	char *text = reader_text(r, sql);

	assert_string_equal(text, expected);
	free(text);
}

/* What the graph says: "name:self" for each node in its order, one more '>' in front for each level. */
static void assert_graph(const struct dusk_profile *p, const char *expected)
{
	struct flame_reader r;

	open_one(&r, p, "t");
	assert_text(&r,
		    "select group_concat(substr('>>>>>>>>', 1, depth) || name || ':' || self, ' ') from ("
		    " select depth, name, (select coalesce(sum(samples), 0) from rows where rows.node = node.i) as self"
		    " from node order by i)",
		    expected);
	reader_close(&r);
}

static void equal_paths_are_one_node(void **state)
{
	struct folded f;

	folded_init(&f);
	folded_add(&f, "sh", "outermost", 2, "/bin/sh!main;/bin/sh!run");
	folded_add(&f, "sh", "outermost", 3, "/bin/sh!main;/bin/sh!run");
	folded_add(&f, "sh", "outermost", 1, "/bin/sh!main");
	folded_add(&f, "cat", "outermost", 1, "/bin/cat!main");
	assert_graph(&f.profile, "all:0 >cat:0 >>main:1 >sh:0 >>main:1 >>>run:5");
	folded_done(&f);
}

static void the_same_name_in_another_module_is_another_function(void **state)
{
	struct folded f;

	folded_init(&f);
	folded_add(&f, "a", "outermost", 1, "b.so!run");
	folded_add(&f, "a", "outermost", 2, "a.so!run");
	assert_graph(&f.profile, "all:0 >a:0 >>run:2 >>run:1");
	folded_done(&f);
}

static void code_without_names_is_its_module(void **state)
{
	struct folded f;

	folded_init(&f);
	folded_add(&f, "a", "outermost", 1, "/lib/x.so!;a!f");
	folded_add(&f, "a", "outermost", 2, "/lib/x.so!");
	folded_add(&f, "a", "outermost", 4, "[kernel]!");
	assert_graph(&f.profile, "all:0 >a:0 >>[kernel]:4 >>[x.so]:2 >>>f:1");
	folded_done(&f);
}

static void a_cut_stack_stands_on_the_reason(void **state)
{
	struct folded f;

	folded_init(&f);
	folded_add(&f, "a", "outermost", 1, "a!f");
	folded_add(&f, "a", "no-fde", 2, "a!f");
	assert_graph(&f.profile, "all:0 >a:0 >>[cut: no-fde]:0 >>>f:2 >>f:1");
	folded_done(&f);
}

static void a_sample_without_a_user_stack_keeps_its_kernel_frames(void **state)
{
	struct folded f;

	folded_init(&f);
	folded_add(&f, "a", "exiting", 2, "[kernel]!do_exit");
	folded_add(&f, "a", "exiting", 3, "");
	folded_add(&f, "kswapd0", "kernel-thread", 1, "[kernel]!kthread");
	assert_graph(&f.profile, "all:0 >a:0 >>[no stack: exiting]:3 >>do_exit:2 >kswapd0:0 >>kthread:1");
	folded_done(&f);
}

static void frames_have_the_kind_of_their_module(void **state)
{
	struct folded f;
	struct flame_reader page;

	folded_init(&f);
	folded_add(&f, "a", "no-fde", 1, "a!user;[vdso]!clock;[anon]!jitted;/srv/app.py!load;[kernel]!entry");
	open_one(&page, &f.profile, "t");
	assert_text(&page, "select group_concat(kind, ' ') from (select kind from node order by i)", "0 2 3 4 5 6 9 7");
	reader_close(&page);
	folded_done(&f);
}

static void an_empty_profile_makes_a_page(void **state)
{
	struct folded f;

	folded_init(&f);
	assert_graph(&f.profile, "all:0");
	folded_done(&f);
}

static void the_page_says_what_was_lost(void **state)
{
	struct dusk_counter counters[] = {{"samples", "samples taken", 9},
					  {"lost-samples", "the ring buffer was full", 4}};
	struct dusk_setting settings[] = {{"host", "h"}, {"command", "xz \"a b\""}};
	struct folded f;
	struct flame_reader page;

	folded_init(&f);
	folded_add(&f, "a", "outermost", 5, "a!f");
	folded_add(&f, "a", "exiting", 2, "");
	f.profile.counters = counters;
	f.profile.nr_counters = COUNT(counters);
	f.profile.settings = settings;
	f.profile.nr_settings = COUNT(settings);
	open_one(&page, &f.profile, "t");
	assert_int_equal(
		reader_number(&page, "select json_extract(json, '$.profiles[0].outcomes[0].samples') from page"), 5);
	assert_text(&page, "select json_extract(json, '$.profiles[0].outcomes[1].class') from page", "no-stack");
	assert_int_equal(reader_number(&page, "select json_extract(json, '$.profiles[0].counters[1].value') from page"),
			 4);
	assert_int_equal(reader_number(&page, "select json_extract(json, '$.profiles[0].counters[1].loss') from page"),
			 1);
	assert_int_equal(reader_number(&page, "select json_extract(json, '$.profiles[0].counters[0].loss') from page"),
			 0);
	assert_text(&page, "select json_extract(json, '$.profiles[0].settings[1][1]') from page", "xz \"a b\"");
	reader_close(&page);
	folded_done(&f);
}

/* What is in names, and what is to be read back; NULL: the same. */
static const struct {
	const char *name, *read;
} hostile[] = {
	{"</script><script>alert(1)</script>", NULL},
	{"<!--<script>", NULL},
	{"]]>--><img src=x onerror=alert(1)>", NULL},
	{"\"quotes\" and \\backslashes\\", NULL},
	{"line\nfeed\ttab\001\033[31mred", NULL},
	{"\xe2\x80\xa8 and \xe2\x80\xa9", NULL}, /* U+2028, U+2029 */
	{"\xe2\x80\xaegnp.exe", NULL},		 /* right to left */
	{"\xff\xfe bad", "\xef\xbf\xbd\xef\xbf\xbd bad"},
	{"cut \xe2\x82", "cut \xef\xbf\xbd\xef\xbf\xbd"},
	{"over \xc0\xbc long", "over \xef\xbf\xbd\xef\xbf\xbd long"}, /* a '<' in two bytes */
	{"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},     /* half of a surrogate pair */
	{"\xf0\x9f\x94\xa5", NULL},
	{"&lt;&#x3c;", NULL},
	{"@PROFILE@ @SCRIPT@", NULL},
	{"\\u003cscript>", NULL},
};

static void add_hostile(struct folded *f, const char *name)
{
	uint32_t module = folded_module(f, name), function = folded_function(f, name, "m");

	folded_samples(f, name, "outermost", 1, folded_node(f, 0, module, function));
}

static void names_come_back_as_they_were(void **state)
{
	for (size_t i = 0; i < COUNT(hostile); i++) {
		const char *expected = hostile[i].read ? hostile[i].read : hostile[i].name;
		struct folded f;
		struct flame_reader page;

		folded_init(&f);
		add_hostile(&f, hostile[i].name);
		open_one(&page, &f.profile, hostile[i].name);
		assert_text(&page, "select name from node where depth = 2", expected);
		assert_text(&page, "select name from node where depth = 1", expected);
		assert_text(&page, "select json_extract(json, '$.title') from page", expected);
		reader_close(&page);
		folded_done(&f);
	}
}

static void no_name_can_leave_its_element(void **state)
{
	struct folded f, empty;
	struct flame_reader page, without;

	folded_init(&f);
	folded_init(&empty);
	for (size_t i = 0; i < COUNT(hostile); i++)
		add_hostile(&f, hostile[i].name);
	open_one(&page, &f.profile, "</title></script>");
	open_one(&without, &empty.profile, "t");
	for (const char *c = page.text; c < page.text + page.text_bytes; c++)
		assert_true(isalnum(*c) || strchr("+/=\n", *c));
	assert_int_equal(page.bytes - page.text_bytes, without.bytes - without.text_bytes);
	reader_close(&page);
	reader_close(&without);
	folded_done(&f);
	folded_done(&empty);
}

static void the_page_needs_nothing_else(void **state)
{
	static const char *const outward[] = {
		" src=",       "@import", "url(",      "XMLHttpRequest", "WebSocket",
		"href=\"http", "import(", "innerHTML", "eval(",		 "unsafe-inline",
	};
	struct folded f;
	struct flame_reader page;

	folded_init(&f);
	open_one(&page, &f.profile, "t");
	for (size_t i = 0; i < COUNT(outward); i++)
		assert_null(strstr(page.html, outward[i]));
	assert_non_null(strstr(page.html, "content=\"default-src 'none'; style-src 'sha256-"));
	assert_non_null(strstr(page.html, "connect-src 'none'")); /* only as dusk web serves it, it asks its server */
	/* Style and scripts, and the page around them. */
	assert_true(page.bytes - page.text_bytes < 168 << 10);
	assert_null(strstr(page.html, "@STYLE"));
	assert_null(strstr(page.html, "@SCRIPT"));
	reader_close(&page);
	folded_done(&f);
}

static void a_long_name_is_cut_between_characters(void **state)
{
	struct folded f;
	struct flame_reader page;
	char name[100001];

	/* Characters of three bytes: 1000 is no multiple of that. */
	for (size_t i = 0; i < sizeof(name) - 1; i++)
		name[i] = "\xe2\x82\xac"[i % 3];
	name[sizeof(name) - 1] = 0;
	folded_init(&f);
	add_hostile(&f, name);
	open_one(&page, &f.profile, name);
	assert_int_equal(reader_number(&page, "select length(name) from node where depth = 2"), 333 + 1);
	assert_text(&page, "select substr(name, -2) from node where depth = 2", "\xe2\x82\xac\xe2\x80\xa6");
	assert_text(&page, "select substr(name, -2) from node where depth = 1", "\xe2\x82\xac\xe2\x80\xa6");
	reader_close(&page);
	folded_done(&f);
}

static void names_that_differ_behind_the_cut_stay_apart(void **state)
{
	struct folded f;
	struct flame_reader page;
	char name[2][2001];

	folded_init(&f);
	for (int i = 0; i < 2; i++) {
		memset(name[i], 'x', 2000);
		name[i][1999] = 'a' + i;
		name[i][2000] = 0;
		folded_samples(&f, "a", "outermost", 1,
			       folded_node(&f, 0, folded_module(&f, "m"), folded_function(&f, name[i], "m")));
	}
	open_one(&page, &f.profile, "t");
	assert_int_equal(reader_number(&page, "select count(*) from node where depth = 2"), 2);
	reader_close(&page);
	folded_done(&f);
}

static void samples_are_added_up_by_thread_and_bucket(void **state)
{
	struct folded f;
	struct flame_reader page;

	folded_init(&f);
	f.profile.period_ns = 1000000;
	folded_add(&f, "a", "outermost", 2000, "a!f");
	folded_add(&f, "b", "outermost", 1000, "a!f");
	open_one(&page, &f.profile, "t");
	/* 3 s: 1000 buckets of 3 ms would do, so that 5 ms it is. */
	assert_int_equal(reader_number(&page, "select json_extract(json, '$.profiles[0].bucket_ns') from page"),
			 5000000);
	assert_int_equal(reader_number(&page, "select json_extract(json, '$.profiles[0].buckets') from page"), 600);
	assert_int_equal(reader_number(&page, "select count(*) from rows where samples = 5 and weight = 5"), 600);
	assert_int_equal(reader_number(&page, "select min(bucket) from rows where thread = 1"), 400);
	assert_int_equal(reader_number(&page, "select max(bucket) from rows where thread = 0"), 399);
	assert_int_equal(reader_number(&page, "select json_extract(json, '$.series[0].unit_ns') from page"), 1000000);
	assert_text(&page, "select group_concat(value) from number where name = 'thread.pid'", "100,101");
	reader_close(&page);
	folded_done(&f);
}

static void a_thread_has_the_title_of_its_process(void **state)
{
	struct folded f;
	struct flame_reader page;

	folded_init(&f);
	folded_add(&f, "a", "outermost", 1, "a!f");
	folded_add(&f, "b", "outermost", 1, "a!f");
	folded_add(&f, "c", "outermost", 1, "a!f");
	f.profile.threads[1].title = "b --one";
	f.profile.threads[2].title = "</script><b>";
	open_one(&page, &f.profile, "t");
	assert_text(&page, "select json_extract(json, '$.titles') from page", "[\"b --one\",\"</script><b>\"]");
	assert_text(&page, "select group_concat(value) from number where name = 'thread.title'", "0,1,2");
	assert_text(&page, "select json_extract(json, '$.comms') from page", "[\"a\",\"b\",\"c\"]");
	reader_close(&page);
	folded_done(&f);
}

static void samples_of_another_kind_are_another_series(void **state)
{
	struct folded f;
	struct flame_reader page;

	folded_init(&f);
	folded_add(&f, "a", "outermost", 3, "a!f");
	folded_add(&f, "a", "outermost", 2, "a!g");
	f.profile.samples[3].source = f.profile.samples[4].source = DUSK_OFF_CPU;
	open_one(&page, &f.profile, "t");
	assert_text(&page, "select json_extract(json, '$.series[0].kind') from page", "cpu");
	assert_text(&page, "select json_extract(json, '$.series[1].kind') from page", "off-cpu");
	assert_int_equal(reader_number(&page, "select json_extract(json, '$.series[1].samples') from page"), 2);
	assert_text(&page, "select group_concat(distinct name) from rows join node on node.i = node where series = '1'",
		    "g");
	reader_close(&page);
	folded_done(&f);
}

static void an_interval_is_in_each_bucket_that_it_lasted(void **state)
{
	struct folded f;
	struct flame_reader page;

	folded_init(&f);
	f.profile.period_ns = 1000000;
	folded_add(&f, "a", "outermost", 10, "a!f");
	folded_add(&f, "a", "outermost", 1, "a!wait");
	f.profile.samples[10].source = DUSK_OFF_CPU;
	f.profile.samples[10].value_ns = 7500000;
	f.profile.samples[10].count = 3;
	open_one(&page, &f.profile, "t");
	/* From 2.5 to 10 ms, in buckets of 20 us, weights in us. */
	assert_int_equal(reader_number(&page, "select json_extract(json, '$.profiles[0].bucket_ns') from page"), 20000);
	assert_int_equal(reader_number(&page, "select sum(weight) from rows where series = '1'"), 7500);
	assert_int_equal(reader_number(&page, "select sum(samples) from rows where series = '1'"), 3);
	assert_int_equal(
		reader_number(&page, "select count(*) from rows where series = '1' and weight = 20 and samples = 0"),
		375);
	assert_int_equal(reader_number(&page, "select min(bucket) from rows where series = '1'"), 125);
	assert_int_equal(reader_number(&page, "select samples from rows where series = '1' and bucket = 500"), 3);
	reader_close(&page);
	folded_done(&f);
}

/* Windows of 10 s of a recording that began at 1,000,005 s; a sum of two intervals of 4 s, and one of two of 15 s. */
static void sums_are_in_buckets_by_the_clock_where_their_intervals_may_have_been(void **state)
{
	static struct dusk_setting settings[] = {{"start_realtime_ns", "1000005000000000"},
						 {"window_ns", "10000000000"}};
	const struct dusk_sample sum = {.cpu = DUSK_NO_CPU, .count = 2};
	struct folded f;
	struct flame_reader page;

	folded_init(&f);
	f.profile.settings = settings;
	f.profile.nr_settings = 2;
	for (int i = 0; i < 2; i++) {
		struct dusk_sample s = sum;

		s.value_ns = i ? 30000000000ULL : 8000000000ULL;
		folded_interval(&f, i ? "long" : "short", s, "a!wait");
		f.profile.samples[i].time_ns = 15000000000ULL; /* its window begins with a bucket */
	}
	open_one(&page, &f.profile, "t");
	assert_int_equal(reader_number(&page, "select json_extract(json, '$.profiles[0].early_ns') from page"),
			 5000000000LL);
	assert_text(&page, "select group_concat(bucket || ':' || weight, ' ') from rows where thread = 0", "2:8000000");
	assert_text(&page, "select group_concat(bucket || ':' || weight, ' ') from rows where thread = 1",
		    "0:10000000 1:20000000 2:0");
	f.profile.nr_settings = 0;
	reader_close(&page);
	folded_done(&f);
}

static void a_row_off_cpu_has_the_longest_interval_that_ended_in_it(void **state)
{
	struct folded f;
	struct flame_reader page;

	folded_init(&f);
	f.profile.period_ns = 1000000;
	folded_add(&f, "a", "outermost", 10, "a!f");
	folded_interval(&f, "a", (struct dusk_sample){.value_ns = 7000, .count = 1}, "a!wait");
	folded_interval(&f, "a", (struct dusk_sample){.value_ns = 9000000, .count = 1}, "a!wait");
	folded_interval(&f, "b", (struct dusk_sample){.value_ns = 60000, .count = 3}, "a!wait");
	f.profile.samples[10].time_ns = f.profile.samples[11].time_ns;
	open_one(&page, &f.profile, "t");
	/* Rows of earlier buckets have none; of a sum, here the last row, it is the mean. */
	assert_text(&page, "select group_concat(value) from number where name = '1.longest' and value > 0", "9000,20");
	assert_int_equal(reader_number(&page, "select count(*) from number where name = '0.longest'"), 0);
	assert_int_equal(reader_number(&page, "select count(*) from number where name = '1.longest'"),
			 reader_number(&page, "select count(*) from rows where series = '1'"));
	reader_close(&page);
	folded_done(&f);
}

static void why_a_thread_was_off_the_cpu_is_a_frame_of_its_own_kind(void **state)
{
	struct filter filter = {.kind = TIME_BASE_WALL, .trim = true, .marks = true};
	struct filtered seen = {0};
	struct folded f;
	struct flame_reader page;

	folded_init(&f);
	folded_add(&f, "a", "outermost", 1, "a!f");
	folded_interval(&f, "a", (struct dusk_sample){.value_ns = 5000, .count = 1, .state = 1},
			"a!f;[kernel]!wait;[kernel]!schedule");
	assert_int_equal(filtered_init(&seen, &f.profile, &filter), 0);
	open_one(&page, &seen.profile, "t");
	assert_text(&page, "select group_concat(name || ':' || kind, ' ') from (select * from node order by i)",
		    "all:0 a:2 f:4 wait:7 [sleeping]:8");
	reader_close(&page);
	filtered_done(&seen);
	folded_done(&f);
}

static void chosen_labels_are_above_the_threads(void **state)
{
	struct dusk_cgroup cgroups[] = {{"", "", "", "", "", "", ""}, {"/cron", "", "", "pod", "", "cron.service", ""}};
	struct folded f;
	struct flame_reader r;

	folded_init(&f);
	folded_add(&f, "a", "outermost", 1, "a!f");
	folded_add(&f, "b", "outermost", 2, "a!f");
	f.profile.cgroups = cgroups;
	f.profile.nr_cgroups = 2;
	f.profile.threads[1].cgroup = 1;
	f.profile.threads[0].service = "shop";
	struct flame_page page = {"t", 1, {&f.profile}, {"p"}, {{LABEL_SERVICE, LABEL_POD}, 2}};

	assert_int_equal(reader_open(&r, &page), 0);
	reader_views(&r);
	assert_text(&r, "select group_concat(name || ':' || kind, ' ') from (select * from node order by i)",
		    "all:0 cron.service:1 pod:1 b:2 f:4 shop:1 [no pod]:1 a:2 f:4");
	reader_close(&r);
	f.profile.cgroups = NULL;
	folded_done(&f);
}

static void two_profiles_share_their_nodes(void **state)
{
	struct folded before, after;
	struct flame_reader page;

	folded_init(&before);
	folded_init(&after);
	folded_add(&before, "a", "outermost", 1, "a!f;a!gone");
	folded_add(&before, "a", "outermost", 2, "a!f");
	folded_add(&after, "b", "outermost", 1, "a!f");
	folded_add(&after, "a", "outermost", 5, "a!f;a!new");
	open_two(&page, &before.profile, &after.profile, "t");
	assert_text(&page,
		    "select group_concat(substr('>>>>', 1, depth) || name || ':' || before || ':' || after, ' ') from ("
		    " select depth, name,"
		    " (select coalesce(sum(samples), 0) from rows where rows.node = node.i and series = '0') as before,"
		    " (select coalesce(sum(samples), 0) from rows where rows.node = node.i and series = '1') as after"
		    " from node order by i)",
		    "all:0:0 >a:0:0 >>f:2:0 >>>gone:1:0 >>>new:0:5 >b:0:0 >>f:0:1");
	assert_int_equal(reader_number(&page, "select json_extract(json, '$.profiles[1].threads') from page"), 2);
	assert_text(&page, "select json_extract(json, '$.profiles[1].name') from page", "after.dusk");
	reader_close(&page);
	folded_done(&before);
	folded_done(&after);
}

static void frames_have_their_places_in_the_source(void **state)
{
	struct dusk_line lines[] = {{.file = "a.c", .line = 7}, {.file = "a.c", .line = 9}};
	struct folded f;
	struct flame_reader page;

	folded_init(&f);
	folded_add(&f, "a", "outermost", 1, "a!f");
	folded_add(&f, "a", "outermost", 2, "a!f;a!g");
	for (uint32_t i = 0; i < 2; i++) {
		f.profile.frames[i + 1].first_line = i;
		f.profile.frames[i + 1].nr_lines = 1;
	}
	f.profile.lines = lines;
	f.profile.nr_lines = COUNT(lines);
	open_one(&page, &f.profile, "t");
	assert_text(
		&page,
		"select group_concat(node.name || ' ' || json_extract(json, '$.files[' || file.value || ']') || ':' ||"
		" line.value || ' ' || samples.value, ', ') from page, number at join node on node.i = at.value"
		" join number file on file.i = at.i join number line on line.i = at.i join number samples on samples.i "
		"= at.i"
		" where at.name = 'place.node' and file.name = 'place.file' and line.name = 'place.line'"
		" and samples.name = 'place.samples'",
		"f a.c:9 2, f a.c:7 1");
	reader_close(&page);
	folded_done(&f);
}

static void a_full_disk_is_an_error(void **state)
{
	FILE *full = fopen("/dev/full", "w");
	struct folded f;

	if (!full)
		skip();
	folded_init(&f);
	assert_int_equal(flame_write(full, &(struct flame_page){"t", 1, {&f.profile}, {"p"}}), -ENOSPC);
	folded_done(&f);
	fclose(full);
}

static void a_file_that_is_not_to_be_written_is_an_error(void **state)
{
	FILE *closed = fopen("/dev/null", "r");
	struct folded f;

	folded_init(&f);
	assert_int_equal(flame_write(closed, &(struct flame_page){"t", 1, {&f.profile}, {"p"}}), -EBADF);
	folded_done(&f);
	fclose(closed);
}

/* As many nodes as a busy hour of a large machine has; each leaf its own, and 60 levels of them. */
static void many_samples_make_a_small_page(void **state)
{
	static const char *const functions[] = {"do_a_thing", "std::vector<int>::push_back", "parse", "walk", "malloc",
						"emit"};
	struct folded f;
	uint32_t node, function, random = 1;
	size_t bytes;
	char *html;
	FILE *out;

	folded_init(&f);
	while (f.profile.nr_nodes < 200000) {
		node = random >> 4 & 1 ? f.profile.nr_nodes - 1 : random % f.profile.nr_nodes;
		random = random * 1664525 + 1013904223;
		function = folded_function(&f, functions[(random >> 16) % 6], "prog");
		node = folded_node(&f, node, folded_module(&f, "prog"), function);
		folded_samples(&f, "prog", "outermost", 5, node);
	}
	assert_int_equal(f.profile.nr_samples / 100000, 9);
	out = open_memstream(&html, &bytes);
	assert_int_equal(flame_write(out, &(struct flame_page){"t", 1, {&f.profile}, {"p"}}), 0);
	fclose(out);
	free(html);
	assert_true(bytes < 5 << 20);
	folded_done(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_paths_are_one_node),
		cmocka_unit_test(the_same_name_in_another_module_is_another_function),
		cmocka_unit_test(code_without_names_is_its_module),
		cmocka_unit_test(a_cut_stack_stands_on_the_reason),
		cmocka_unit_test(a_sample_without_a_user_stack_keeps_its_kernel_frames),
		cmocka_unit_test(frames_have_the_kind_of_their_module),
		cmocka_unit_test(an_empty_profile_makes_a_page),
		cmocka_unit_test(the_page_says_what_was_lost),
		cmocka_unit_test(names_come_back_as_they_were),
		cmocka_unit_test(no_name_can_leave_its_element),
		cmocka_unit_test(the_page_needs_nothing_else),
		cmocka_unit_test(a_long_name_is_cut_between_characters),
		cmocka_unit_test(names_that_differ_behind_the_cut_stay_apart),
		cmocka_unit_test(samples_are_added_up_by_thread_and_bucket),
		cmocka_unit_test(a_thread_has_the_title_of_its_process),
		cmocka_unit_test(samples_of_another_kind_are_another_series),
		cmocka_unit_test(an_interval_is_in_each_bucket_that_it_lasted),
		cmocka_unit_test(sums_are_in_buckets_by_the_clock_where_their_intervals_may_have_been),
		cmocka_unit_test(a_row_off_cpu_has_the_longest_interval_that_ended_in_it),
		cmocka_unit_test(why_a_thread_was_off_the_cpu_is_a_frame_of_its_own_kind),
		cmocka_unit_test(chosen_labels_are_above_the_threads),
		cmocka_unit_test(two_profiles_share_their_nodes),
		cmocka_unit_test(frames_have_their_places_in_the_source),
		cmocka_unit_test(a_full_disk_is_an_error),
		cmocka_unit_test(a_file_that_is_not_to_be_written_is_an_error),
		cmocka_unit_test(many_samples_make_a_small_page),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
