/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Are stacks of Go, Java, LuaJIT, PHP and Ruby whole, where their runtimes are installed? The programs are those of
 * bench/runtimes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "live.h"

static void need(const char *program)
{
	const char *const folders[] = {"/usr/bin", "/usr/local/bin", "/usr/local/go/bin"};
	char path[64];

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", folders[i], program);
		if (!access(path, X_OK))
			return;
	}
	print_message("no %s\n", program);
	skip();
}

/* Of @words' stacks at least @percent are complete. */
static void check(const char *const *words, int warm_up_ms, double percent)
{
	const char *file = live_file("runtime.dusk");
	pid_t victim = live_start(false, words);
	struct live_tally t;
	char pid[16];

	live_sleep_ms(warm_up_ms);
	snprintf(pid, sizeof(pid), "%d", victim);
	assert_int_equal(RECORD(file, "-F", "997", "-d", "2s", "-p", pid), 0);
	live_end(victim);
	_cleanup_profile_ p = live_read(file);

	t = live_count(p, 0);
	print_message("%s: %llu stacks, %.2f %% complete\n", words[0], (unsigned long long)t.walked,
		      100.0 * t.complete / t.walked);
	for (uint32_t i = 0; i < p->nr_outcomes; i++)
		if (p->outcomes[i].kind == DUSK_CUT && live_outcome_samples(p, p->outcomes[i].name))
			print_message("  %s %llu\n", p->outcomes[i].name,
				      (unsigned long long)live_outcome_samples(p, p->outcomes[i].name));
	assert_true(t.walked > 100);
	assert_true(t.complete * 100.0 >= t.walked * percent);
}
#define CHECK(warm_up_ms, percent, ...) check((const char *const[]){__VA_ARGS__, NULL}, warm_up_ms, percent)

static const char *build_go(const char *source)
{
	const char *program = live_file("busy-go"), *cache = live_file("cache");

	need("go");
	setenv("GOCACHE", cache, 1);
	setenv("CGO_ENABLED", "1", 1);
	assert_int_equal(
		live_wait(live_start(false, (const char *const[]){"go", "build", "-o", program, source, NULL}), 120),
		0);
	return program;
}

/* What is left are stacks that are being copied. */
static void go(void **state)
{
	CHECK(500, 97, build_go(RUNTIMES "/busy.go"));
}

static void go_and_c_that_call_each_other(void **state)
{
	need("gcc");
	CHECK(500, 98, build_go(RUNTIMES "/calls.go"));
}

static void java_with_frame_pointers(void **state)
{
	need("java");
	CHECK(4000, 98, "java", "-XX:+PreserveFramePointer", RUNTIMES "/Busy.java");
}

static void javas_interpreter(void **state)
{
	need("java");
	CHECK(8000, 99, "java", "-XX:+PreserveFramePointer", "-Xint", RUNTIMES "/Busy.java");
}

static void luajits_interpreter(void **state)
{
	need("luajit");
	CHECK(500, 99, "luajit", "-joff", RUNTIMES "/busy.lua");
}

static void php(void **state)
{
	need("php");
	CHECK(500, 95, "php", "-d", "pcre.jit=0", RUNTIMES "/busy.php");
}

static void ruby(void **state)
{
	need("ruby");
	CHECK(500, 99, "ruby", RUNTIMES "/busy.rb");
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(go),
		cmocka_unit_test(go_and_c_that_call_each_other),
		cmocka_unit_test(java_with_frame_pointers),
		cmocka_unit_test(javas_interpreter),
		cmocka_unit_test(luajits_interpreter),
		cmocka_unit_test(php),
		cmocka_unit_test(ruby),
	};

	return LIVE_MAIN(argc, argv, tests);
}
