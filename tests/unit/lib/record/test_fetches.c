/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Is what a probe's definition fetches understood, and nothing else taken for it? */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "lib/arch/probe_regs.h"
#include "lib/record/fetches.h"

#define FORMAT                                                                 \
	"name: hit\nID: 7\nformat:\n"                                          \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"           \
	"\tfield:unsigned long __probe_ip;\toffset:8;\tsize:8;\tsigned:0;\n"   \
	"\tfield:u64 a;\toffset:16;\tsize:8;\tsigned:0;\n"                     \
	"\tfield:__data_loc char[] s;\toffset:24;\tsize:4;\tsigned:1;\n"       \
	"\tfield:u8 b;\toffset:28;\tsize:1;\tsigned:0;\n\n"                    \
	"print fmt: \"(%lx) a=%Lu\", REC->__probe_ip, REC->a\n"

static struct fields *fields;

static int begin(void **state)
{
	struct record_shape shape;

	return fields_new(&fields) ?: fields_learn(fields, "test", FORMAT, strlen(FORMAT), &shape);
}

static int end(void **state)
{
	fields_free(fields);
	return 0;
}

static int parse(struct probe *p, const char *text, bool user)
{
	memset(p, 0xff, sizeof(*p));
	return fetches_parse(p, text, user, fields, 0);
}

static void fetches__words_and_pointers_are_understood(void **state)
{
	char text[256];
	struct probe p;

	snprintf(text, sizeof(text), " a=+8(-16(%%%s)):u64 s=+0(%%%s):string b=\\7:u8", probe_argument_registers[0],
		 probe_argument_registers[1]);
	assert_int_equal(parse(&p, text, true), 0);
	assert_int_equal(p.nr, 3);
	assert_string_equal(probe_registers[p.fetch[0].reg], probe_argument_registers[0]);
	assert_int_equal(p.fetch[0].from, FETCH_REGISTER);
	assert_int_equal(p.fetch[0].pointers, 2);
	assert_int_equal(p.fetch[0].offset[0], -16); /* the innermost is followed first */
	assert_int_equal(p.fetch[0].offset[1], 8);
	assert_int_equal(p.fetch[0].bytes, 8);
	assert_int_equal(p.fetch[0].at, 16);
	assert_int_equal(p.fetch[0].kernel, 0);
	assert_int_equal(p.fetch[1].bytes, 0);
	assert_int_equal(p.fetch[1].at, 24);
	assert_int_equal(p.fetch[2].from, FETCH_NUMBER);
	assert_int_equal(p.fetch[2].number, 7);
	assert_int_equal(p.fetch[2].bytes, 1);
}

static void fetches__memory_is_the_users_or_the_kernels(void **state)
{
	struct probe p;

	assert_int_equal(parse(&p, "a=+0($arg1) b=+u4($retval):u8", false), 0);
	assert_int_equal(p.fetch[0].kernel, 1);
	assert_int_equal(p.fetch[1].kernel, 0);
	assert_int_equal(parse(&p, "s=+0($arg1):ustring", false), 0);
	assert_int_equal(p.fetch[0].kernel, 0);
	assert_int_equal(parse(&p, "a=@0xffffffff81000000", false), 0);
	assert_int_equal(p.fetch[0].kernel, 1);
	assert_int_equal(p.fetch[0].pointers, 1);
	assert_int_equal(parse(&p, "a=$stack3", true), 0);
	assert_int_equal(p.fetch[0].offset[0], 24);
	assert_int_equal(parse(&p, "s=$comm", true), 0);
	assert_int_equal(p.fetch[0].from, FETCH_COMM);
}

static void fetches__nothing_else_is_taken_for_them(void **state)
{
	static const char *const bad[] = {
		"a",
		"a=",
		"a=%nothing",
		"a=$nothing",
		"a=$arg0",
		"a=$arg99",
		"c=$arg1",
		"a=+8",
		"a=+8($arg1",
		"a=+8($arg1))",
		"a=+($arg1)",
		"a=++8($arg1)",
		"a=$arg1:string",
		"s=$arg1:u64",
		"s=$arg1:string",
		"a=$arg1:b4@2/32",
		"a=$arg1:u8[4]",
		"a=@0x1234",
		"s=+0($arg1):u64",
		"a=$comm:u64:",
		"a=\\",
		"a=\\\"x\"",
		"a=+0(+0(+0(+0(+0($arg1)))))",
		"a=+0x100000000($arg1)",
		"a=$stack99999999999",
	};
	struct probe p;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (parse(&p, bad[i], true) != -EOPNOTSUPP)
			fail_msg("%s is taken for something", bad[i]);
}

static void fetches__more_than_there_is_room_for_are_refused(void **state)
{
	char text[1024] = "";
	struct probe p;

	for (int i = 0; i < MAX_FETCHES; i++)
		strcat(text, " a=$arg1");
	assert_int_equal(parse(&p, text, true), 0);
	assert_int_equal(p.nr, MAX_FETCHES);
	strcat(text, " a=$arg1");
	assert_int_equal(parse(&p, text, true), -EOPNOTSUPP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(fetches__words_and_pointers_are_understood, begin, end),
		cmocka_unit_test_setup_teardown(fetches__memory_is_the_users_or_the_kernels, begin, end),
		cmocka_unit_test_setup_teardown(fetches__nothing_else_is_taken_for_them, begin, end),
		cmocka_unit_test_setup_teardown(fetches__more_than_there_is_room_for_are_refused, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
