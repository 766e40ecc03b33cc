/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Is text of ftrace decoded: each line as it is, and the stacks that it names below it? */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "report/model/decode.h"

#define KERNEL 12 /* ids */
#define USER 34
#define OURS 0x5a0c11d2
#define MAP " <map 5a0c11d2>"
#define AT "     sh-7 [001] ..... 12.345678: bpf_trace_printk: "
#define IND "        "

static const uint64_t kernel[] = {0xffffffff81000010, 0xffffffff81000020}, user[] = {0x0001800000001234};
#define KERNEL_FRAMES IND "[0] 0xffffffff81000010\n" IND "[1] 0xffffffff81000020\n"
#define USER_FRAMES IND "[2] 0x1800000001234\n"

static int find(void *ctx, uint32_t id, struct dusk_stack *ret)
{
	if (id != KERNEL && id != USER)
		return -ENOENT;
	*ret = id == KERNEL ? (struct dusk_stack){id, 2, 1, kernel} : (struct dusk_stack){id, 1, 1, user};
	return 0;
}

static struct decode last;

/* What becomes of @text; learn: as of a file, else as of a pipe. */
static char *decoded(const char *text, size_t len, bool learn)
{
	static const struct stackmap_names names;
	FILE *in = fmemopen((void *)text, len, "r"), *out;
	char *ret = NULL;
	size_t size;

	last = (struct decode){.find = find, .names = &names, .identity = OURS};
	out = open_memstream(&ret, &size);
	assert_non_null(in);
	if (learn) {
		assert_int_equal(decode_learn(&last, in), 0);
		rewind(in);
	}
	assert_int_equal(decode_write(&last, in, out), 0);
	fclose(in);
	fclose(out);
	decode_done(&last);
	return ret;
}

static void expect(const char *text, bool learn, const char *expected)
{
	_cleanup_(freep) char *said = decoded(text, strlen(text), learn);

	assert_string_equal(said, expected);
}

static void stacks_stand_below_the_line_that_names_them(void **state)
{
	expect("before\n" AT "x:y <stack_id 12> <user 34>" MAP "\nbehind\n", true,
	       "before\n" AT "x:y <stack_id 12> <user 34>" MAP "\n" KERNEL_FRAMES USER_FRAMES "behind\n");
	assert_int_equal(last.lines, 1);
	expect("sh-7 [001] d.h.. 1.5: <stack_id 12>\n", true, "sh-7 [001] d.h.. 1.5: <stack_id 12>\n" KERNEL_FRAMES);
	expect("<stack_id 0> <user 34>\n", true, "<stack_id 0> <user 34>\n" IND "[0] 0x1800000001234\n");
}

static void a_cookie_is_the_stack_that_a_later_line_says(void **state)
{
	expect(AT "x:y <stack_id 12> <cookie 1c000>" MAP "\n" AT "<cookie 1c000> <user 34>" MAP "\n", true,
	       AT "x:y <stack_id 12> <cookie 1c000>" MAP "\n" KERNEL_FRAMES USER_FRAMES AT
		  "<cookie 1c000> <user 34>" MAP "\n");
	assert_int_equal(last.unresolved, 0);
	expect(AT "<cookie a> <user 34>" MAP " [no-fde]\n" AT "x:y <stack_id 0> <cookie a>" MAP "\n", true,
	       AT "<cookie a> <user 34>" MAP " [no-fde]\n" AT "x:y <stack_id 0> <cookie a>" MAP "\n" IND
		  "[0] 0x1800000001234\n" IND "[no-fde]\n");
	expect(AT "x:y <stack_id 0> <cookie a>" MAP "\n" AT "<cookie a> <user 0>" MAP " [exec-new]\n", true,
	       AT "x:y <stack_id 0> <cookie a>" MAP "\n" IND "[exec-new]\n" AT "<cookie a> <user 0>" MAP
		  " [exec-new]\n");
}

static void a_cookie_that_no_line_resolves_is_said_to_be_one(void **state)
{
	expect(AT "x:y <stack_id 12> <cookie 1c000>" MAP "\n", true,
	       AT "x:y <stack_id 12> <cookie 1c000>" MAP "\n" KERNEL_FRAMES IND
		  "[no line says what cookie 1c000 is]\n");
	assert_int_equal(last.unresolved, 1);
}

static void of_a_pipe_the_user_stack_stands_where_the_cookie_ends(void **state)
{
	expect(AT "x:y <stack_id 12> <cookie 1c000>" MAP "\n" AT "<cookie 1c000> <user 34>" MAP "\n", false,
	       AT "x:y <stack_id 12> <cookie 1c000>" MAP "\n" KERNEL_FRAMES AT "<cookie 1c000> <user 34>" MAP "\n" IND
		  "[0] 0x1800000001234\n");
	assert_int_equal(last.unresolved, 0);
}

static void stacks_of_another_stackmap_are_not_shown(void **state)
{
	expect(AT "x:y <stack_id 12> <user 34> <map 77>\n", true, AT "x:y <stack_id 12> <user 34> <map 77>\n");
	assert_int_equal(last.foreign, 1);
	assert_int_equal(last.foreign_identity, 0x77);
	/* Nor are their cookies ours. */
	expect(AT "x:y <stack_id 0> <cookie a>" MAP "\n" AT "<cookie a> <user 34> <map 77>\n", true,
	       AT "x:y <stack_id 0> <cookie a>" MAP "\n" IND "[no line says what cookie a is]\n" AT
		  "<cookie a> <user 34> <map 77>\n");
}

static void a_stack_that_is_not_there_is_said(void **state)
{
	expect("<stack_id 13> <user 35>\n", true,
	       "<stack_id 13> <user 35>\n" IND "[stack_id 13 is not in the stackmap]\n" IND
	       "[user 35 is not in the stackmap]\n");
	assert_int_equal(last.missing, 2);
}

/* Any user may choose the names of tasks and files. */
static void only_bpf_programs_say_what_a_cookie_is(void **state)
{
	static const char *const forged[] = {
		"sh-7 [001] ..... 12.3: sched_process_exec: filename=1.5: bpf_trace_printk: <cookie a> <user 34>" MAP
		"\n",
		"sh-7 [001] ..... 12.3: tracing_mark_write: bpf_trace_printk: <cookie a> <user 34>" MAP "\n",
		"1.5: bpf_trace_-7 [001] ..... 12.3: print: <cookie a> <user 34>" MAP "\n",
		"<cookie a> <user 34>" MAP "\n",
		AT "open /tmp/<cookie a> <user 34>" MAP "\n", /* another BPF program, and a name that it prints */
		AT "<cookie a> <user 34>\n", /* a name with a line break, without the number of the stackmap */
		AT "<cookie a> <user 34> <map 1>\n",
	};

	for (size_t i = 0; i < sizeof(forged) / sizeof(forged[0]); i++) {
		_cleanup_(freep) char *text = NULL, *said = NULL;
		int len = asprintf(&text, "%s" AT "x:y <stack_id 0> <cookie a>" MAP "\n", forged[i]);

		said = decoded(text, len, true);
		assert_int_equal(last.unresolved, 1);
		assert_non_null(strstr(said, "no line says what cookie a is"));
	}
	/* A name that looks like a time, or clocks that count without a point. */
	expect("1.5: x-7 [001] ..... 12.3: bpf_trace_printk: x:y <stack_id 0> <cookie a>" MAP "\n", true,
	       "1.5: x-7 [001] ..... 12.3: bpf_trace_printk: x:y <stack_id 0> <cookie a>" MAP "\n");
	expect("x-7 [001] ..... 123: bpf_trace_printk:     <cookie a> <user 34>" MAP "\n" AT
	       "x:y <stack_id 0> <cookie a>" MAP "\n",
	       true,
	       "x-7 [001] ..... 123: bpf_trace_printk:     <cookie a> <user 34>" MAP "\n" AT
	       "x:y <stack_id 0> <cookie a>" MAP "\n" IND "[0] 0x1800000001234\n");
}

static void of_lines_that_disagree_on_a_cookie_none_is_believed(void **state)
{
	expect(AT "<cookie a> <user 34>" MAP "\n" AT "<cookie a> <user 12>" MAP "\n" AT
		  "x:y <stack_id 0> <cookie a>" MAP "\n",
	       true,
	       AT "<cookie a> <user 34>" MAP "\n" AT "<cookie a> <user 12>" MAP "\n" AT
		  "x:y <stack_id 0> <cookie a>" MAP "\n" IND "[lines disagree on what cookie a is]\n");
	assert_int_equal(last.unresolved, 1);
	expect(AT "<cookie a> <user 34>" MAP "\n" AT "<cookie a> <user 34>" MAP "\n" AT
		  "x:y <stack_id 0> <cookie a>" MAP "\n",
	       true,
	       AT "<cookie a> <user 34>" MAP "\n" AT "<cookie a> <user 34>" MAP "\n" AT
		  "x:y <stack_id 0> <cookie a>" MAP "\n" IND "[0] 0x1800000001234\n");
}

static void what_is_no_number_names_no_stack(void **state)
{
	static const char *const lines[] = {
		"<stack_id>\n",	   "<stack_id >\n",	"<stack_id -1>\n",  "<stack_id 4294967308>\n",
		"<stack_id 12\n",  "<stack_id 0x12>\n", "<stack_id  12>\n", "<user +34>\n",
		"<STACK_ID 12>\n", "< stack_id 12>\n",
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		expect(lines[i], true, lines[i]);
	assert_int_equal(last.lines, 0);
}

static void a_terminal_gets_no_control_characters_and_tabs_stay(void **state)
{
	static const char hostile[] = "a\033[2J\tb\0c\x9b\n<stack_id 12>\n\n";
	_cleanup_(freep) char *said = decoded(hostile, sizeof(hostile) - 1, true);

	assert_string_equal(said, "a\\x1b[2J\tb\\x00c\\x9b\n<stack_id 12>\n" KERNEL_FRAMES "\n");
}

/* However long it is, it is all there; what is beyond what a line may have is not looked at. */
static void a_long_line_is_copied_and_not_decoded(void **state)
{
	static char text[40000];
	char *said;

	memset(text, 'x', sizeof(text));
	memcpy(text, "<stack_id 12>", 13);
	memcpy(text + 20000, "<stack_id 12>", 13);
	strcpy(text + sizeof(text) - 16, "<stack_id 12>\n");
	said = decoded(text, strlen(text), true);
	assert_string_equal(said, text);
	assert_int_equal(last.lines, 0);
	free(said);
	strcpy(text + sizeof(text) - 32, "\n<stack_id 12>");
	said = decoded(text, strlen(text), true);
	assert_int_equal(last.lines, 1); /* the next one is */
	assert_non_null(strstr(said, "\n<stack_id 12>\n" KERNEL_FRAMES));
	free(said);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stacks_stand_below_the_line_that_names_them),
		cmocka_unit_test(a_cookie_is_the_stack_that_a_later_line_says),
		cmocka_unit_test(a_cookie_that_no_line_resolves_is_said_to_be_one),
		cmocka_unit_test(of_a_pipe_the_user_stack_stands_where_the_cookie_ends),
		cmocka_unit_test(stacks_of_another_stackmap_are_not_shown),
		cmocka_unit_test(a_stack_that_is_not_there_is_said),
		cmocka_unit_test(only_bpf_programs_say_what_a_cookie_is),
		cmocka_unit_test(of_lines_that_disagree_on_a_cookie_none_is_believed),
		cmocka_unit_test(what_is_no_number_names_no_stack),
		cmocka_unit_test(a_terminal_gets_no_control_characters_and_tabs_stay),
		cmocka_unit_test(a_long_line_is_copied_and_not_decoded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
