/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Folded stacks, scripts, and tables on paper: what stands in them, byte by byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>
#include "export/export.h"
#include "folded_profile.h"
#include "report/show/show.h"
#include "report/text.h"

static void check(struct folded *f, const char *format, struct export_options o, const char *want)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(export_find(format)->write(out, &f->profile, &o), 0);
	fclose(out);
	assert_string_equal(text, want);
	free(text);
}

static const struct export_options usual;

static void equal_stacks_are_one_folded_line(void **state)
{
	struct folded *f = *state;

	folded_add(f, "xz", "outermost", 3, "xz!main;xz!code");
	folded_add(f, "xz", "outermost", 4, "xz!main;xz!code");
	folded_add(f, "xz", "outermost", 1, "xz!main");
	folded_add(f, "cat", "outermost", 2, "cat!main;[kernel]!read");
	check(f, "folded", usual, "xz;main 1\nxz;main;code 7\ncat;main;read 2\n");
}

static void folded_lines_add_up_to_all_samples(void **state)
{
	struct folded *f = *state;

	folded_add(f, "a", "outermost", 3, "a!main");
	folded_add(f, "a", "exiting", 2, "");
	check(f, "folded", usual, "a;main 3\na;[no stack: exiting] 2\n");
}

static void folded_tasks_may_have_their_ids(void **state)
{
	struct folded *f = *state;

	folded_add(f, "a b", "outermost", 3, "a!main");
	check(f, "folded", (struct export_options){.pid = true}, "a_b-100;main 3\n");
	check(f, "folded", (struct export_options){.tid = true}, "a_b-100/100;main 3\n");
}

static void folded_kernel_functions_may_be_marked(void **state)
{
	struct folded *f = *state;

	folded_add(f, "a", "outermost", 1, "a!main;[kernel]!read");
	check(f, "folded", (struct export_options){.annotate = true}, "a;main;read_[k] 1\n");
}

static void folded_separators_and_controls_in_names_are_replaced(void **state)
{
	struct folded *f = *state;

	folded_add(f, "a;b\tc\n", "outermost", 1, "m!f");
	f->profile.functions[1].name = "op;erator\n\033(int)";
	check(f, "folded", usual, "a:b_c_;op:erator\\x0a\\x1b(int) 1\n");
}

static void folded_stacks_may_be_reversed(void **state)
{
	struct folded *f = *state;

	folded_add(f, "a b", "outermost", 2, "a!main;[kernel]!read");
	folded_add(f, "a b", "exiting", 1, "");
	check(f, "folded", (struct export_options){.reverse = true, .annotate = true, .pid = true},
	      "read_[k];main;a_b-100 2\n[no stack: exiting];a_b-100 1\n");
}

static void a_script_has_a_header_and_frames_from_the_inside(void **state)
{
	struct folded *f = *state;
	struct dusk_setting settings[] = {{"event", "cycles"}};

	f->profile.settings = settings;
	f->profile.nr_settings = 1;
	folded_add(f, "bash", "outermost", 1, "/bin/bash!main;/usr/lib/libc.so.6!read;[kernel]!vfs_read");
	f->profile.frames[2].address = 0x7f12;
	f->profile.frames[2].function_offset = 0x1f;
	f->profile.frames[3].address = 0xffffffff81234567;
	f->profile.samples[0].time_ns = 12345678901;
	f->profile.samples[0].cpu = 7;
	f->profile.threads[0].tid = 1235;
	check(f, "script", usual,
	      "bash    100/1235  [007]    12.345678:   10101010 cycles: \n"
	      "\tffffffff81234567 vfs_read+0x0 ([kernel.kallsyms])\n"
	      "\t            7f12 read+0x1f (/usr/lib/libc.so.6)\n"
	      "\t              10 main+0x0 (/bin/bash)\n"
	      "\n");
}

static void a_script_names_what_has_no_symbol(void **state)
{
	struct folded *f = *state;

	folded_add(f, "a", "outermost", 1, "/tmp/my prog!;[anon]!;[ext4]!ext4_read");
	check(f, "script", usual,
	      "a    100/100   [000]     0.000000:   10101010 cpu-clock: \n"
	      "\t              30 ext4_read+0x0 ([ext4])\n"
	      "\t              20 [unknown] ([anon])\n"
	      "\t              10 [unknown] (/tmp/my\\040prog)\n"
	      "\n");
}

/* There is no address in a source file. */
static void a_script_has_code_of_python_without_addresses(void **state)
{
	struct folded *f = *state;

	folded_add(f, "py", "outermost", 1, "/bin/python3!eval;/srv/app.py!Loader.load");
	check(f, "script", usual,
	      "py    100/100   [000]     0.000000:   10101010 cpu-clock: \n"
	      "\t               0 Loader.load (/srv/app.py)\n"
	      "\t              10 eval+0x0 (/bin/python3)\n\n");
	check(f, "folded", usual, "py;eval;Loader.load 1\n");
}

static void a_script_has_one_word_for_a_task(void **state)
{
	struct folded *f = *state;

	folded_add(f, "node 12 x", "exiting", 1, "");
	folded_add(f, "#hash", "exiting", 1, "");
	check(f, "script", usual,
	      "node_12_x    100/100   [000]     0.000000:   10101010 cpu-clock: \n"
	      "\t               0 [no stack: exiting] ([unknown])\n"
	      "\n"
	      ":101    101/101   [000]     0.010101:   10101010 cpu-clock: \n"
	      "\t               0 [no stack: exiting] ([unknown])\n"
	      "\n");
}

static void a_script_has_no_name_that_begins_with_a_parenthesis(void **state)
{
	struct folded *f = *state;

	folded_add(f, "a", "outermost", 1, "m!f");
	f->profile.functions[1].name = "(anonymous namespace)::run(int)";
	check(f, "script", usual,
	      "a    100/100   [000]     0.000000:   10101010 cpu-clock: \n"
	      "\t              10 {anonymous}::run(int)+0x0 (m)\n"
	      "\n");
}

/* A table of @f on paper. */
static void check_table(struct folded *f, unsigned int keys, struct show_options o, const char *want)
{
	struct table *t;
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(table_new(&t, &f->profile, keys, BY_COUNT), 0);
	table_show(out, t, &o);
	table_free(t);
	fclose(out);
	assert_string_equal(text, want);
	free(text);
}

static void tables_are_aligned(void **state)
{
	struct folded *f = *state;
	struct show_options o = {.column = {KEY_FUNCTION, KEY_DSO}, .nr_columns = 2};

	folded_add(f, "a", "outermost", 3, "m!main;libc.so.6!a_long_name");
	folded_add(f, "a", "outermost", 1, "m!main");
	check_table(f, KEY_FUNCTION | KEY_DSO, o,
		    "#   Self     Total    Samples  Function     Module\n"
		    "  75.00%    75.00%          3  a_long_name  libc.so.6\n"
		    "  25.00%   100.00%          1  main         m\n");
	o.no_total = true;
	o.max_rows = 1;
	check_table(f, KEY_FUNCTION | KEY_DSO, o,
		    "#   Self    Samples  Function     Module\n"
		    "  75.00%          3  a_long_name  libc.so.6\n");
}

static void columns_come_in_the_order_asked_for(void **state)
{
	struct folded *f = *state;
	struct show_options o = {.form = SHOW_CSV, .column = {KEY_DSO, KEY_PID, KEY_COMM}, .nr_columns = 3};

	folded_add(f, "a", "outermost", 3, "m!main");
	check_table(f, KEY_DSO | KEY_PID | KEY_COMM, o,
		    "self_percent,total_percent,self,total,dso,pid,comm\n"
		    "100.0000,100.0000,3,3,m,100,a\n");
	o.form = SHOW_NDJSON;
	check_table(f, KEY_DSO | KEY_PID | KEY_COMM, o,
		    "{\"schema\":\"dusk-table-1\",\"columns\":[\"self_percent\",\"total_percent\",\"self\",\"total\","
		    "\"dso\",\"pid\",\"comm\"]}\n"
		    "{\"self_percent\":100,\"total_percent\":100,\"self\":3,\"total\":3,\"dso\":\"m\",\"pid\":100,"
		    "\"comm\":\"a\"}\n");
}

static void light_rows_are_counted_not_shown(void **state)
{
	struct folded *f = *state;
	struct show_options o = {.column = {KEY_FUNCTION}, .nr_columns = 1, .percent_limit = 5};

	folded_add(f, "a", "outermost", 99, "m!x");
	folded_add(f, "a", "outermost", 1, "m!y");
	check_table(f, KEY_FUNCTION, o,
		    "#   Self     Total    Samples  Function\n"
		    "  99.00%    99.00%         99  x\n"
		    "# 1 of 2 rows; --limit and --percent-limit choose\n");
}

static void check_text(const char *s, enum text_form form, const char *want)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	text_write(out, s, form);
	fclose(out);
	assert_string_equal(text, want);
	free(text);
}

static void only_printable_utf8_passes(void **state)
{
	check_text("caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", TEXT_TERMINAL,
		   "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
	check_text("\x7f\x01\t", TEXT_TERMINAL, "\\x7f\\x01\\x09");
	check_text("\xc2\x85", TEXT_TERMINAL, "\\xc2\\x85");				/* C1 control */
	check_text("\xc0\xaf\xe0\x80\xaf", TEXT_TERMINAL, "\\xc0\\xaf\\xe0\\x80\\xaf"); /* overlong */
	check_text("\xed\xa0\x80", TEXT_TERMINAL, "\\xed\\xa0\\x80");			/* surrogate */
	check_text("\xe2\x82", TEXT_TERMINAL, "\\xe2\\x82");				/* cut short */
	check_text("\xe2\x80\xae", TEXT_TERMINAL, "\\xe2\\x80\\xae");			/* right to left from here */
	assert_int_equal(text_width("caf\xc3\xa9", TEXT_TERMINAL), 4);
	assert_int_equal(text_width("\033[0m", TEXT_TERMINAL), 7);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, folded_begin, folded_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(equal_stacks_are_one_folded_line),
		TEST(folded_lines_add_up_to_all_samples),
		TEST(folded_tasks_may_have_their_ids),
		TEST(folded_kernel_functions_may_be_marked),
		TEST(folded_stacks_may_be_reversed),
		TEST(folded_separators_and_controls_in_names_are_replaced),
		TEST(a_script_has_a_header_and_frames_from_the_inside),
		TEST(a_script_names_what_has_no_symbol),
		TEST(a_script_has_code_of_python_without_addresses),
		TEST(a_script_has_one_word_for_a_task),
		TEST(a_script_has_no_name_that_begins_with_a_parenthesis),
		TEST(tables_are_aligned),
		TEST(columns_come_in_the_order_asked_for),
		TEST(light_rows_are_counted_not_shown),
		TEST(only_printable_utf8_passes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
