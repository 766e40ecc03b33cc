/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What does the hint for code made at run time advise, and to which programs? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>
#include "lib/symbols/jit_hint.h"

#define PID 4321

/*
 * A profile with one stack, JIT code called by code of @file, in a process whose main thread is called @comm. @source: also
 * with code that an interpreter runs.
 */
static const char *hint_beside(bool source, const char *file, const char *comm)
{
	static char ret[256];
	struct dusk_module modules[] = {{.path = ""},
					{DUSK_MODULE_FILE, .path = file},
					{DUSK_MODULE_ANON, PID, .path = "[anon]"},
					{DUSK_MODULE_SOURCE, .path = "app.py"}};
	struct dusk_frame frames[] = {{0}, {.module = 1}, {.module = 2}};
	struct dusk_node nodes[] = {{0, 0}, {0, 1}, {1, 2}};
	struct dusk_thread threads[] = {{PID, PID, comm}, {PID, PID + 1, "worker"}, {77, 77, "java"}};
	struct dusk_sample samples[] = {{.thread = 2}, {.thread = 1, .node = 2}};
	const struct dusk_profile p = {
		.modules = modules,
		.frames = frames,
		.nodes = nodes,
		.threads = threads,
		.samples = samples,
		.nr_modules = 3 + source,
		.nr_frames = 3,
		.nr_nodes = 3,
		.nr_threads = 3,
		.nr_samples = 2,
	};

	jit_hint(&p, PID, ret, sizeof(ret));
	return ret;
}

static const char *hint(const char *file, const char *comm)
{
	return hint_beside(false, file, comm);
}

static void a_running_java_is_asked_for_its_map(void **state)
{
	const char *text = hint("/usr/lib/jvm/lib/server/libjvm.so", "main");

	(void)state;
	assert_non_null(strstr(text, "jcmd 4321 Compiler.perfmap writes /tmp/perf-4321.map"));
	assert_non_null(strstr(text, "without a restart"));
	assert_null(strstr(text, "node"));
	assert_null(strstr(text, "python"));
}

static void node_and_python_have_their_own_options(void **state)
{
	(void)state;
	assert_non_null(strstr(hint("/usr/bin/node", "MainThread"), "node --perf-basic-prof"));
	assert_non_null(strstr(hint("/usr/lib/x86_64-linux-gnu/libpython3.13.so.1.0", "x"), "python3 -X perf"));
	assert_null(strstr(hint("/usr/bin/node", "x"), "jcmd"));
}

static void code_beside_that_of_python_is_no_functions_of_python(void **state)
{
	(void)state;
	assert_null(strstr(hint_beside(true, "/usr/bin/python3.13", "x"), "-X perf"));
	assert_non_null(strstr(hint_beside(true, "/usr/bin/node", "x"), "node --perf-basic-prof"));
}

static void a_runtime_without_a_file_in_its_stacks_is_known_by_its_name(void **state)
{
	(void)state;
	assert_non_null(strstr(hint("/usr/lib/libc.so.6", "java"), "jcmd 4321 Compiler.perfmap"));
}

static void any_other_program_is_told_what_is_read(void **state)
{
	const char *text = hint("/usr/lib/libc.so.6", "luajit");

	(void)state;
	assert_non_null(strstr(text, "/tmp/perf-4321.map or a jitdump"));
	assert_null(strstr(text, "jcmd"));
	assert_null(strstr(text, "node"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_running_java_is_asked_for_its_map),
		cmocka_unit_test(node_and_python_have_their_own_options),
		cmocka_unit_test(code_beside_that_of_python_is_no_functions_of_python),
		cmocka_unit_test(a_runtime_without_a_file_in_its_stacks_is_known_by_its_name),
		cmocka_unit_test(any_other_program_is_told_what_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
