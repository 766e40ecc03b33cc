/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Do arguments become what tracefs takes, those of USDT probes by their notes? */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "lib/arch/probe_regs.h"
#include "lib/record/probe_arguments.h"

static struct dusk_error err;

static int translate(char *ret, const char *word, const char *usdt)
{
	struct probe_word w;

	assert_int_equal(probe_word_parse(&w, word, &err), 0);
	return probe_arguments(ret, &w, usdt, &err);
}

/* @want: with the register of the first argument for %s. */
static void becomes(const char *word, const char *usdt, const char *want)
{
	char got[PROBE_DEFINITION_BYTES], text[256];

	if (translate(got, word, usdt))
		fail_msg("%s: %s", word, err.text);
	snprintf(text, sizeof(text), want, probe_argument_registers[0]);
	assert_string_equal(got, text);
}

static void refused(const char *word, const char *usdt, const char *why)
{
	char got[PROBE_DEFINITION_BYTES];

	assert_int_equal(translate(got, word, usdt), -EINVAL);
	if (!strstr(err.text, why))
		fail_msg("%s: %s, without: %s", word, err.text, why);
}

static void probe_arguments__are_translated(void **state)
{
	becomes("uprobe:c:f", NULL, "");
	becomes("uprobe:c:f()", NULL, "");
	becomes("uprobe:c:f(arg1)", NULL, " arg1=%%%s:u64");
	becomes("uprobe:c:f(size=arg1:s32)", NULL, " size=%%%s:s32");
	becomes("uprobe:c:f(str(arg1))", NULL, " arg1=+0(%%%s):string");
	becomes("uprobe:c:f(n=+8(arg1):u16)", NULL, " n=+8(%%%s):u16");
	becomes("uprobe:c:f(str(+0x10(-8(arg1))))", NULL, " arg1=+0(+0x10(-8(%%%s))):string");
	becomes("uretprobe:c:f(retval)", NULL, " retval=$retval:s64");
	becomes("kretprobe:f(p=retval:x64,str(retval))", NULL, " p=$retval:x64 retval=+0($retval):string");
}

static void probe_arguments__what_is_wrong_is_said(void **state)
{
	refused("uprobe:c:f(arg0)", NULL, "arg1 is the first one");
	refused("uprobe:c:f(arg99)", NULL, "beyond those in registers");
	refused("uprobe:c:f(retval)", NULL, "only where a function returns is there a retval");
	refused("uretprobe:c:f(arg1)", NULL, "no arguments any more");
	refused("uprobe:c:f(x)", NULL, "this is no value at 'x'");
	refused("uprobe:c:f(arg1:int)", NULL, "types are u8");
	refused("uprobe:c:f(str(arg1):u8)", NULL, "a text has no other type");
	refused("uprobe:c:f(arg1,)", NULL, "an argument is missing");
	refused("uprobe:c:f(arg1 arg2)", NULL, "this follows the argument at ' arg2'");
	refused("uprobe:c:f(+8arg1)", NULL, "+N(VALUE)");
	refused("uprobe:c:f(+8(+8(+8(+8(+8(+8(arg1)))))))", NULL, "this is too deep");
	refused("uprobe:c:f(1=arg1)", NULL, "this is no name");
	refused("uprobe:c:f(a=arg1:u64 b=%ip)", NULL, "types are u8");
	refused("uprobe:c:f(arg1,arg1,arg1,arg1,arg1,arg1,arg1,arg1,arg1,arg1,arg1,arg1,arg1,arg1,arg1,arg1,arg1)",
		NULL, "more than 16");
}

static void usdt_argument__is_what_the_note_says(void **state)
{
#ifdef __x86_64__
	const char *operands =
		"8@%rdi -4@%eax 1@%sil 2@%r8w 4@$-5 8@-16(%rbp) 8@(%rax,%rbx,8) 8f@%xmm0 8@x(%rip) 1@%al";

	becomes("usdt:c:p:f", operands,
		" arg1=%%di:u64 arg2=%%ax:s32 arg3=%%si:u8 arg4=%%r8:u16 arg5=\\-5:u32 arg6=-16(%%bp):u64 "
		"arg10=%%ax:u8");
	becomes("usdt:c:p:f(str(arg1),x=arg2)", operands, " arg1=+0(%%di):string x=%%ax:s32");
#else
	const char *operands = "8@x1 -4@w2 1@[sp] 8@[x29, -16] 4@5 8@[x1, x2] 8f@d0";

	becomes("usdt:c:p:f", operands,
		" arg1=%%x1:u64 arg2=%%x2:s32 arg3=+0(%%sp):u8 arg4=-16(%%x29):u64 arg5=\\5:u32");
	becomes("usdt:c:p:f(str(arg1),x=arg2)", operands, " arg1=+0(%%x1):string x=%%x2:s32");
#endif
	refused("usdt:c:p:f(arg7)", operands, "no probe can fetch this argument");
	refused("usdt:c:p:f(arg11)", operands, "the probe has fewer arguments");
	becomes("usdt:c:p:f", "", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(probe_arguments__are_translated),
		cmocka_unit_test(probe_arguments__what_is_wrong_is_said),
		cmocka_unit_test(usdt_argument__is_what_the_note_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
