/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The page of the flame graph, read back: its JSON by SQLite, which shares no code with what wrote it. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "report/flame.h"
#include "folded_profile.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

struct page {
	char *html, *json;	/* whole; what stands between the tags of the profile */
	size_t bytes;
	sqlite3 *db;		/* has a table "page" with the JSON in its column "json" */
};

static void query(struct page *page, const char *sql, sqlite3_stmt **ret)
{
	assert_int_equal(sqlite3_prepare_v2(page->db, sql, -1, ret, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(*ret), SQLITE_ROW);
}

static int64_t number(struct page *page, const char *sql)
{
	sqlite3_stmt *row;
	int64_t n;

	query(page, sql, &row);
	n = sqlite3_column_int64(row, 0);
	sqlite3_finalize(row);
	return n;
}

static void assert_text(struct page *page, const char *sql, const char *expected)
{
	sqlite3_stmt *row;

	query(page, sql, &row);
	assert_non_null(sqlite3_column_text(row, 0));
	assert_string_equal((const char *)sqlite3_column_text(row, 0), expected);
	sqlite3_finalize(row);
}

static void page_open(struct page *page, const struct dusk_profile *p, const char *title)
{
	static const char begin[] = "id=\"profile\">", end[] = "</script>";
	sqlite3_stmt *insert;
	char *from;
	FILE *out;

	out = open_memstream(&page->html, &page->bytes);
	assert_int_equal(flame_write(out, p, title), 0);
	fclose(out);
	assert_int_equal(strlen(page->html), page->bytes);
	from = strstr(page->html, begin);
	assert_non_null(from);
	from += strlen(begin);
	page->json = strndup(from, strstr(from, end) - from);

	assert_int_equal(sqlite3_open(":memory:", &page->db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(page->db, "create table page (json text)", NULL, NULL, NULL), SQLITE_OK);
	sqlite3_prepare_v2(page->db, "insert into page values (?)", -1, &insert, NULL);
	sqlite3_bind_text(insert, 1, page->json, -1, SQLITE_STATIC);
	assert_int_equal(sqlite3_step(insert), SQLITE_DONE);
	sqlite3_finalize(insert);
	assert_int_equal(number(page, "select json_valid(json) from page"), 1);
	assert_int_equal(sqlite3_exec(page->db,
		"create table node as select d.key as i, d.value as depth, l.value as label, s.value as self,"
		"  json_extract(page.json, '$.labels.name[' || l.value || ']') as name,"
		"  json_extract(page.json, '$.labels.kind[' || l.value || ']') as kind"
		" from page, json_each(page.json, '$.nodes.depth') d, json_each(page.json, '$.nodes.label') l,"
		"  json_each(page.json, '$.nodes.self') s"
		" where d.key = l.key and d.key = s.key order by d.key", NULL, NULL, NULL), SQLITE_OK);
}

static void page_close(struct page *page)
{
	sqlite3_close(page->db);
	free(page->html);
	free(page->json);
}

/* What the graph says: "name:self" for each node in its order, one more '>' in front for each level. */
static void assert_graph(const struct dusk_profile *p, const char *expected)
{
	struct page page;

	page_open(&page, p, "t");
	assert_text(&page,
		"select group_concat(substr('>>>>>>>>', 1, depth) || name || ':' || self, ' ')"
		" from (select * from node order by i)",
		expected);
	page_close(&page);
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
	struct page page;

	folded_init(&f);
	folded_add(&f, "a", "no-fde", 1, "a!user;[vdso]!clock;[anon]!jitted;[kernel]!entry");
	page_open(&page, &f.profile, "t");
	assert_text(&page, "select group_concat(kind, ' ') from (select kind from node order by i)", "0 1 2 3 4 5 6");
	page_close(&page);
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
	struct page page;

	folded_init(&f);
	folded_add(&f, "a", "outermost", 5, "a!f");
	folded_add(&f, "a", "exiting", 2, "");
	f.profile.counters = counters;
	f.profile.nr_counters = COUNT(counters);
	f.profile.settings = settings;
	f.profile.nr_settings = COUNT(settings);
	page_open(&page, &f.profile, "t");
	assert_int_equal(number(&page, "select json_extract(json, '$.outcomes[0].samples') from page"), 5);
	assert_text(&page, "select json_extract(json, '$.outcomes[1].class') from page", "no-stack");
	assert_int_equal(number(&page, "select json_extract(json, '$.counters[1].value') from page"), 4);
	assert_int_equal(number(&page, "select json_extract(json, '$.counters[1].loss') from page"), 1);
	assert_int_equal(number(&page, "select json_extract(json, '$.counters[0].loss') from page"), 0);
	assert_text(&page, "select json_extract(json, '$.settings[1][1]') from page", "xz \"a b\"");
	page_close(&page);
	folded_done(&f);
}

/* What is in names, and what is to be read back; NULL: the same. */
static const struct { const char *name, *read; } hostile[] = {
	{"</script><script>alert(1)</script>", NULL},
	{"<!--<script>", NULL},
	{"]]>--><img src=x onerror=alert(1)>", NULL},
	{"\"quotes\" and \\backslashes\\", NULL},
	{"line\nfeed\ttab\001\033[31mred", NULL},
	{"\xe2\x80\xa8 and \xe2\x80\xa9", NULL},			/* U+2028, U+2029 */
	{"\xe2\x80\xaegnp.exe", NULL},					/* right to left */
	{"\xff\xfe bad", "\xef\xbf\xbd\xef\xbf\xbd bad"},
	{"cut \xe2\x82", "cut \xef\xbf\xbd\xef\xbf\xbd"},
	{"over \xc0\xbc long", "over \xef\xbf\xbd\xef\xbf\xbd long"},	/* a '<' in two bytes */
	{"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},	/* half of a surrogate pair */
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
		struct page page;

		folded_init(&f);
		add_hostile(&f, hostile[i].name);
		page_open(&page, &f.profile, hostile[i].name);
		assert_text(&page, "select name from node where depth = 2", expected);
		assert_text(&page, "select name from node where depth = 1", expected);
		assert_text(&page, "select json_extract(json, '$.title') from page", expected);
		page_close(&page);
		folded_done(&f);
	}
}

static void no_name_can_leave_its_element(void **state)
{
	struct folded f, empty;
	struct page page, without;

	folded_init(&f);
	folded_init(&empty);
	for (size_t i = 0; i < COUNT(hostile); i++)
		add_hostile(&f, hostile[i].name);
	page_open(&page, &f.profile, "</title></script>");
	page_open(&without, &empty.profile, "t");
	assert_null(strchr(page.json, '<'));
	assert_int_equal(page.bytes - strlen(page.json), without.bytes - strlen(without.json));
	page_close(&page);
	page_close(&without);
	folded_done(&f);
	folded_done(&empty);
}

static void the_page_needs_nothing_else(void **state)
{
	static const char *const outward[] = {
		" src=", "@import", "url(", "fetch(", "XMLHttpRequest", "WebSocket", "href=\"http", "import(",
		"innerHTML", "eval(", "unsafe-inline",
	};
	struct folded f;
	struct page page;

	folded_init(&f);
	page_open(&page, &f.profile, "t");
	for (size_t i = 0; i < COUNT(outward); i++)
		assert_null(strstr(page.html, outward[i]));
	assert_non_null(strstr(page.html, "content=\"default-src 'none'; style-src 'sha256-"));
	assert_null(strstr(page.html, "@STYLE"));
	assert_null(strstr(page.html, "@SCRIPT"));
	page_close(&page);
	folded_done(&f);
}

static void a_full_disk_is_an_error(void **state)
{
	FILE *full = fopen("/dev/full", "w");
	struct folded f;

	if (!full)
		skip();
	folded_init(&f);
	assert_int_equal(flame_write(full, &f.profile, "t"), -ENOSPC);
	folded_done(&f);
	fclose(full);
}

static void a_file_that_is_not_to_be_written_is_an_error(void **state)
{
	FILE *closed = fopen("/dev/null", "r");
	struct folded f;

	folded_init(&f);
	assert_int_equal(flame_write(closed, &f.profile, "t"), -EBADF);
	folded_done(&f);
	fclose(closed);
}

/* As many nodes as a busy hour of a large machine has; each leaf its own, and 60 levels of them. */
static void many_samples_make_a_small_page(void **state)
{
	static const char *const functions[] = {"do_a_thing", "std::vector<int>::push_back", "parse", "walk",
						"malloc", "emit"};
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
	assert_int_equal(flame_write(out, &f.profile, "t"), 0);
	fclose(out);
	free(html);
	assert_true(bytes < 10 << 20);
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
		cmocka_unit_test(a_full_disk_is_an_error),
		cmocka_unit_test(a_file_that_is_not_to_be_written_is_an_error),
		cmocka_unit_test(many_samples_make_a_small_page),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
