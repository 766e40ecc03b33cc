/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Are probes taken as their users write them, and is said what is wrong? */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "lib/record/probe_word.h"

static struct dusk_error err;

static struct probe_word parse(const char *text)
{
	struct probe_word w;

	err.text[0] = 0;
	if (probe_word_parse(&w, text, &err))
		fail_msg("%s: %s", text, err.text);
	return w;
}

static void refused(const char *text, const char *why)
{
	struct probe_word w;

	assert_int_equal(probe_word_parse(&w, text, &err), -EINVAL);
	if (!strstr(err.text, why))
		fail_msg("%s: %s, without: %s", text, err.text, why);
}

static void probe_word__its_parts_are_taken(void **state)
{
	struct probe_word w = parse("uprobe:/bin/sh:f+0x10(a=arg1,b)");

	assert_int_equal(w.kind, PROBE_UPROBE);
	assert_string_equal(w.file, "/bin/sh");
	assert_string_equal(w.function, "f");
	assert_int_equal(w.offset, 16);
	assert_string_equal(w.arguments, "a=arg1,b");
	assert_string_equal(w.shown, "uprobe:/bin/sh:f+0x10");
	assert_int_equal(w.function_at, strlen("uprobe:/bin/sh:"));
	w = parse("usdt:python3:python:gc__start");
	assert_int_equal(w.kind, PROBE_USDT);
	assert_string_equal(w.file, "python3");
	assert_string_equal(w.provider, "python");
	assert_string_equal(w.function, "gc__start");
	assert_false(w.has_arguments);
	w = parse("kretprobe:vfs_read()");
	assert_int_equal(w.kind, PROBE_KRETPROBE);
	assert_string_equal(w.file, "");
	assert_true(w.has_arguments);
	assert_string_equal(w.arguments, "");
	assert_true(probe_word_returns(&w));
	assert_false(probe_word_is_user(&w));
}

static void probe_word__others_are_none(void **state)
{
	assert_true(probe_word_is("uprobe:"));
	assert_false(probe_word_is("uprobe"));
	assert_false(probe_word_is("uprobes:x"));
	assert_false(probe_word_is("sched:sched_switch"));
	assert_false(probe_word_is("probe:vfs_read"));
}

static void probe_word__what_is_wrong_is_said(void **state)
{
	char long_name[2000];

	refused("uprobe:", "the file or the function is missing; a probe is uprobe:FILE:FUNCTION");
	refused("uprobe:libc", "the file or the function is missing");
	refused("uprobe:libc:", "the function is missing");
	refused("uprobe::f", "the file or the function is missing");
	refused("usdt:libc:x", "the provider or the probe is missing; a probe is usdt:");
	refused("usdt:libc:x:", "the function is missing");
	refused("kprobe:", "a probe is kprobe:FUNCTION");
	refused("kprobe:a:b", "there is a part too many");
	refused("uprobe:libc:f+", "what follows + is no number");
	refused("uprobe:libc:f+-1", "what follows + is no number");
	refused("uprobe:libc:f+8x", "what follows + is no number");
	refused("uprobe:libc:f+99999999999999999999", "what follows + is no number");
	refused("uretprobe:libc:f+8", "there is no offset");
	refused("uprobe:libc:f(arg1", "the arguments do not end with )");
	refused("uprobe:libc:f(arg1)x", "the arguments do not end with )");
	memset(long_name, 'x', sizeof(long_name));
	memcpy(long_name, "kprobe:", 7);
	long_name[sizeof(long_name) - 1] = 0;
	refused(long_name, "too long");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(probe_word__its_parts_are_taken),
		cmocka_unit_test(probe_word__others_are_none),
		cmocka_unit_test(probe_word__what_is_wrong_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
