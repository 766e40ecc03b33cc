/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Do the words of other tools mean here what they mean there, and is said what can be done where they mean nothing? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include "cli/cmdline/event_words.h"

static char said[512];

static const char *explained(const char *text)
{
	said[0] = 0;
	return event_word_explain(text, said, sizeof(said)) ? said : NULL;
}

static void assert_says(const char *text, const char *part)
{
	const char *all = explained(text);

	if (!all || !strstr(all, part))
		fail_msg("%s: %s, without: %s", text, all ? all : "nothing", part);
}

static void event_word_means__what_it_means_to_perf(void **state)
{
	assert_string_equal(event_word_means("cpu"), "cpu");
	assert_string_equal(event_word_means("cpu-clock"), "cpu");
	assert_string_equal(event_word_means("offcpu"), "offcpu");
	assert_string_equal(event_word_means("page-faults"), "exceptions:page_fault_user");
	assert_string_equal(event_word_means("context-switches"), "sched:sched_switch");
	assert_null(event_word_means("malloc"));
	assert_null(event_word_means("minor-faults"));
	assert_null(event_word_means("cpu-"));
	assert_null(event_word_means("sched:sched_switch"));
}

/* Cycles are what the CPU is sampled by, if there are any. */
static void event_word_means__cycles_where_there_are_some(void **state)
{
	if (event_word_means("cycles"))
		assert_string_equal(event_word_means("cycles"), "cpu");
	else
		assert_says("cycles", "no PMU");
}

static void event_word_explain__names_what_counts_it(void **state)
{
	bool pmu = event_word_means("cycles");

	assert_says("cache-misses", pmu ? "perf record -g -e cache-misses" : "no PMU");
	assert_says("LLC-load-misses", pmu ? "dusk import" : "-e cpu samples by time");
	assert_says("minor-faults", "-e page-faults");
	assert_says("malloc", "-e uprobe:FILE:malloc");
	assert_says("syscalls:openat", "syscalls:sys_enter_openat and syscalls:sys_exit_openat");
	assert_null(explained("sched:nothing"));
	assert_null(explained("syscalls:sys_enter_nothing"));
}

static void event_word_explain__shows_how_to_define_a_probe(void **state)
{
	assert_says("kprobe:vfs_read", "perf probe --add 'vfs_read', then dusk record -e 'probe:vfs_read*'");
	assert_says("kretprobe:vfs_read", "perf probe --add 'vfs_read%return'");
	assert_says("uprobe:/usr/lib/libc.so.6:malloc",
		    "perf probe -x /usr/lib/libc.so.6 --add 'malloc', then dusk record -e 'probe_libc:malloc*'");
	assert_says("uretprobe:/usr/bin/python3.11:f", "--add 'f%return', then dusk record -e 'probe_python3:f*'");
	assert_says("usdt:/usr/bin/python3.11:python:gc__start",
		    "perf buildid-cache --add /usr/bin/python3.11 && perf probe --add sdt_python:gc__start, "
		    "then dusk record -e sdt_python:gc__start");
	assert_says("uprobe:", "perf probe -x PROGRAM --add 'FUNCTION'");
	assert_says("usdt:x", "sdt_PROVIDER:FUNCTION");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(event_word_means__what_it_means_to_perf),
		cmocka_unit_test(event_word_means__cycles_where_there_are_some),
		cmocka_unit_test(event_word_explain__names_what_counts_it),
		cmocka_unit_test(event_word_explain__shows_how_to_define_a_probe),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
