/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Are stacks of 32-bit programs whole and true? Programs whose stacks are known, on the CPU, off it, and seen from
 * outside; in system calls by both ways into the kernel, in handlers, in the vDSO, in threads.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "intervals.h"

/* Victim @name, or skip. */
static pid_t start(const char *name, const char *argument)
{
	if (access(live_victim(name), X_OK)) {
		print_message("no C library for 32-bit programs\n");
		skip();
	}
	return START(live_victim(name), argument);
}

static struct dusk_profile *record_off_cpu(pid_t pid)
{
	const char *file = live_file("compat.dusk");
	char number[16];

	snprintf(number, sizeof(number), "%d", pid);
	assert_int_equal(RECORD(file, "-e", "offcpu", "-d", "1s", "-p", number), 0);
	return live_read(file);
}

/* Until it has had so much of a CPU, however long that takes. */
static struct dusk_profile *record(pid_t pid)
{
	const char *file = live_file("compat.dusk");

	assert_int_equal(RECORD_PROCESS(file, pid, 200, "-e", "cpu", "-F", "997"), 0);
	return live_read(file);
}

/* Each stack of the victim is whole, and its sentence matches @all; some match each of the others, which NULL ends. */
static void check(const char *name, const char *argument, const char *all, const char *const *often)
{
	pid_t pid = start(name, argument);
	_cleanup_profile_ p = record(pid);
	size_t seen[4] = {0}, walked = 0;

	live_end(pid);
	for (uint64_t i = 0; i < p->nr_samples; i++) {
		const struct dusk_sample *s = &p->samples[i];
		char *sentence;

		if (!strcmp(live_outcome(p, s), "pending"))
			continue;
		sentence = live_sentence_at(p, s->node);
		if (live_class(p, s) != DUSK_COMPLETE || !live_matches(sentence, all))
			fail_msg("not a stack of %s (%s): %s", name, live_outcome(p, s), sentence);
		for (size_t n = 0; often[n]; n++)
			seen[n] += live_matches(sentence, often[n]);
		free(sentence);
		walked++;
	}
	print_message("%-18s %-10.10s %4zu stacks, all complete\n", name, argument, walked);
	assert_true(walked > 20);
	for (size_t n = 0; often[n]; n++)
		assert_true(seen[n] > 0);
}
#define OFTEN(...) ((const char *const[]){__VA_ARGS__, NULL})
#define THUNK "( __x86\\S+)?" /* where code learns where it is */
#define LIBC "( \\S+)*"	      /* functions of the C library, which has few symbols */

static void check_recursion(const char *name, int depth)
{
	char all[128], often[64], number[16];

	snprintf(number, sizeof(number), "%d", depth);
	snprintf(often, sizeof(often), " compare recurse\\*%d burn$", depth);
	snprintf(all, sizeof(all), "^main" LIBC "( compare( recurse(\\*[0-9]+)?( burn)?)?)?" THUNK "$");
	check(name, number, all, OFTEN(often));
}

static void recursion(void **state)
{
	check_recursion("recurse_32", 10);
	check_recursion("recurse_32", 200);
	check_recursion("recurse_32_no_pie", 60);
}

static void a_static_program(void **state)
{
	check_recursion("recurse_32_static", 60);
}

/* main() has aligned its stack. burn() has no frame, which hides its caller. */
static void a_program_with_frame_pointers_and_no_cfi(void **state)
{
	check("recurse_32_bare", "60", "^main" LIBC "( compare( recurse(\\*[0-9]+)?( burn)?)?)?" THUNK "$",
	      OFTEN(" compare recurse\\*59 burn$"));
}

static void stubs_of_the_plt(void **state)
{
	check("stubs_32", "", "^main( recurse(\\*[0-9]+)?)?( call_stubs" LIBC ")?$",
	      OFTEN("^main recurse\\*10 call_stubs \\S+$"));
}

static void threads(void **state)
{
	check("threads_32", "", "^(\\S+ )*work( recurse(\\*[0-9]+)?( burn)?)?" THUNK "$",
	      OFTEN(" work recurse\\*10 burn$", " work recurse\\*80 burn$"));
}

static void handlers_of_signals(void **state)
{
	static const char all[] = "^main( work(\\*[0-9]+)?)?" THUNK "( [^h]\\S*( handle" THUNK ")?)?$";

	check("signals_32", "own", all, OFTEN("^main work\\*[0-9]+ __kernel_sigreturn handle$"));
	check("signals_32", "alternate", all, OFTEN("^main work\\*[0-9]+ __kernel_sigreturn handle$"));
}

static void the_vdso(void **state)
{
	check("clock_32", "", "^main( recurse(\\*[0-9]+)?)?( ask" LIBC ")?$",
	      OFTEN("^main recurse\\*10 ask clock_gettime \\S+ __vdso_clock_gettime64$"));
}

static void system_calls_by_both_ways(void **state)
{
	check("compat", "",
	      "^main( recurse(\\*[0-9]+)?( (work|nap)_by_(interrupt|vdso( __kernel_vsyscall)?))?)?" THUNK "$",
	      OFTEN("^main recurse\\*10 work_by_vdso __kernel_vsyscall$", "^main recurse\\*10 work_by_interrupt$"));
}

static void time_off_the_cpu(void **state)
{
	pid_t pid = start("compat", "");
	_cleanup_profile_ p = record_off_cpu(pid);
	struct away vdso, interrupt;
	char *sentence;

	live_end(pid);
	vdso = away_in(p, pid, "nap_by_vdso");
	interrupt = away_in(p, pid, "nap_by_interrupt");
	print_message("asleep %" PRIu64 " and %" PRIu64 " times\n", vdso.sleeps, interrupt.sleeps);
	assert_true(vdso.sleeps > 0 && interrupt.sleeps > 0);
	assert_int_equal(vdso.cut + interrupt.cut, 0);
	sentence = away_sentence(p, pid, "nap_by_vdso");
	assert_string_equal(sentence, "main recurse*10 nap_by_vdso");
	free(sentence);
	sentence = away_sentence(p, pid, "nap_by_interrupt");
	assert_string_equal(sentence, "main recurse*10 nap_by_interrupt");
	free(sentence);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recursion),
		cmocka_unit_test(a_static_program),
		cmocka_unit_test(a_program_with_frame_pointers_and_no_cfi),
		cmocka_unit_test(stubs_of_the_plt),
		cmocka_unit_test(threads),
		cmocka_unit_test(handlers_of_signals),
		cmocka_unit_test(the_vdso),
		cmocka_unit_test(system_calls_by_both_ways),
		cmocka_unit_test(time_off_the_cpu),
	};

	return LIVE_MAIN(argc, argv, tests);
}
