/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Does a specimen walk again as it did, does it hold no more of a program's data than that takes, and is a file that is
 * none refused? Has each rule of core/arch/rules.txt a specimen that it leads on? Arguments: the specimens of real
 * programs, compressed by zstd; those of rules are in a folder "rules", and are called after their rules.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dusk/dusk.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zstd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "core/code/rules.h"
#include "lib/arch/names.h"
#include "lib/process/specimen.h"

#define DEPTH 40
#define SUFFIX ".zst"
#define MAX_BYTES (1 << 20)
#define SECRET 0x5ec2e7da7a5ec2e7UL

static char path[] = "/tmp/dusk-specimen-XXXXXX";
static char **specimens;
static int nr_specimens;

static __attribute__((noinline)) long recurse(int left)
{
	volatile unsigned long secret[] = {SECRET, SECRET};

	if (left > 1)
		return recurse(left - 1) + secret[1];
	raise(SIGSTOP);
	return secret[0];
}

/* A child, whose secrets are in each of its frames. */
static pid_t child(void)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		_exit(recurse(DEPTH) & 1);
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(ptrace(PTRACE_DETACH, pid, 0, SIGSTOP), 0);
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void a_specimen_walks_as_its_thread_did(void **state)
{
	struct dusk_walk *live, *again;
	struct dusk_error err;
	pid_t pid = child();

	assert_int_equal(dusk_walk_thread(&live, pid, path, &err), 0);
	end(pid);
	assert_true(live->nr > DEPTH);
	assert_int_equal(live->outcome->kind, DUSK_COMPLETE);
	assert_int_equal(dusk_walk_specimen(&again, path, &err), 0);
	assert_true(again->agrees);
	assert_ptr_equal(again->outcome, live->outcome);
	assert_int_equal(again->nr, live->nr);
	for (uint32_t i = 0; i < live->nr; i++) {
		assert_int_equal(again->frames[i].address, live->frames[i].address);
		assert_int_equal(again->frames[i].method, live->frames[i].method);
		assert_string_equal(again->frames[i].rules, live->frames[i].rules);
		assert_string_equal(again->frames[i].module, live->frames[i].module);
	}
	dusk_walk_free(live);
	dusk_walk_free(again);
}

static void a_specimen_holds_no_data_of_the_program(void **state)
{
	struct dusk_walk *live;
	struct specimen *s;
	struct dusk_error err;
	pid_t pid = child();
	size_t words = 0;

	assert_int_equal(dusk_walk_thread(&live, pid, path, &err), 0);
	end(pid);
	assert_int_equal(specimen_read(&s, path, &err), 0);
	for (size_t i = 0; i < s->blocks.nr; i++) {
		const u64 *word = (const u64 *)s->blocks.v[i].bytes;

		if (s->blocks.v[i].is_file)
			continue;
		for (u32 j = 0; j < s->blocks.v[i].len / 8; j++) {
			assert_true(word[j] != SECRET);
			words += word[j] != 0;
		}
	}
	assert_in_range(words, live->nr - 1, 2 * live->nr); /* a return address each, and here and there a register */
	specimen_free(s);
	dusk_walk_free(live);
}

static void write_file(const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static void what_is_no_specimen_is_refused(void **state)
{
#define START "dusk specimen 1\ndepth 10\nframe 10 exact\noutcome no-mapping\n"
	static const char *const bad[] = {
		"",
		"dusk specimen 2\n",
		"dusk specimen 1\n",
		"dusk specimen 1\ndepth 0\nframe 10 exact\n",
		"dusk specimen 1\ndepth 2049\nframe 10 exact\n",
		START "frame\n",
		START "frame zz exact\n",
		START "register rxx 1\n",
		START "register\n",
		START "mapping 10\n",
		START "outcome nowhere\n",
		START "memory 10 12 data\n",
		START "memory 11 8 data\n",
		START "memory 10 0 data\n",
		START "memory 10 4294967288 data\n",
		START "memory fffffffffffffff8 16 data\n",
		START "memory 1000 64 data\nmemory 1020 64 data\n",
		START " 10 00\n",
		START "memory 10 8 data\n 8 00\n",
		START "memory 10 8 data\n 10 0\n",
		START "memory 10 8 data\n 10 000000000000000000\n",
		START "memory 10 8 data\n 10 0g\n",
		START "something\n",
	};
	struct specimen *s;
	struct dusk_error err;

	for (size_t i = 0; i < COUNT(bad); i++) {
		write_file(bad[i]);
		print_message("  %zu\n", i);
		assert_int_equal(specimen_read(&s, path, &err), -EINVAL);
		assert_non_null(strstr(err.text, path));
	}
	assert_int_equal(specimen_read(&s, "/nowhere/at/all", &err), -ENOENT);
	write_file(START "# nothing\nmemory 10 8 data\n 10 0011\n");
	assert_int_equal(specimen_read(&s, path, &err), 0);
	assert_int_equal(s->blocks.v[0].bytes[1], 0x11);
	specimen_free(s);
}

static void a_stack_that_is_not_the_kept_one_does_not_agree(void **state)
{
	struct dusk_walk *w;
	struct dusk_error err;
	char text[128];

	snprintf(text, sizeof(text),
		 "dusk specimen 1\ndepth 10\nregister %s 10\nframe 10 exact\nframe 20 return\noutcome no-mapping\n",
		 input_name(REG_PC));
	write_file(text);
	assert_int_equal(dusk_walk_specimen(&w, path, &err), 0);
	assert_false(w->agrees);
	assert_int_equal(w->nr, 1);
	assert_string_equal(w->outcome->name, "no-mapping");
	dusk_walk_free(w);
}

/* Return the specimen in the compressed @file, to be freed by specimen_free(). */
static struct specimen *unpacked(const char *file)
{
	_cleanup_(freep) char *packed = NULL, *text = malloc(MAX_BYTES + 1);
	struct dusk_error err = {""};
	struct specimen *s;
	size_t len;

	assert_non_null(text);
	assert_int_equal(file_read(&packed, &len, file, MAX_BYTES), 0);
	len = ZSTD_decompress(text, MAX_BYTES, packed, len);
	if (ZSTD_isError(len))
		fail_msg("%s: %s", file, ZSTD_getErrorName(len));
	text[len] = 0;
	write_file(text);
	if (specimen_read(&s, path, &err))
		fail_msg("%s: %s", file, err.text);
	return s;
}

static void specimens_of_real_programs_walk_as_they_did(void **state)
{
	for (int i = 0; i < nr_specimens; i++) {
		struct specimen *s = unpacked(specimens[i]);
		struct trace t;

		assert_int_equal(trace_init(&t), 0);
		assert_int_equal(specimen_walk(s, &t), 0);
		print_message("  %-12s %3zu frames, %s%s\n", s->comm, s->frames.nr,
			      specimen_agrees(s, &t) ? "the same" : "NOT", s->missing ? ", reads what it did not" : "");
		assert_true(specimen_agrees(s, &t));
		trace_done(&t);
		specimen_free(s);
	}
}

/* Return the specimen of the rule @name, or NULL. */
static const char *specimen_of(const char *name)
{
	char end[80];

	snprintf(end, sizeof(end), "/specimens/rules/%s" SUFFIX, name);
	for (int i = 0; i < nr_specimens; i++) {
		size_t len = strlen(specimens[i]);

		if (len > strlen(end) && !strcmp(specimens[i] + len - strlen(end), end))
			return specimens[i];
	}
	return NULL;
}

/* Is a frame of the specimen at @file left by @rule, for a caller? */
static bool is_hit(const char *file, u32 rule)
{
	struct specimen *s = unpacked(file);
	struct trace t;
	bool hit = false;

	assert_int_equal(trace_init(&t), 0);
	assert_int_equal(specimen_walk(s, &t), 0);
	for (size_t i = 0; i < t.frames.nr; i++)
		hit |= t.frames.v[i].rule == rule;
	trace_done(&t);
	specimen_free(s);
	return hit;
}

static void each_rule_has_a_specimen_that_hits_it(void **state)
{
	int failed = 0;

	for (u32 rule = NO_RULE + 1; rule < NR_RULES; rule++) {
		const char *name = trace_rule_name(rule), *file = specimen_of(name);

		if (file && is_hit(file, rule))
			continue;
		print_message("  %s: %s\n", name, file ? "its specimen does not hit it" : "no specimens/rules/ of it");
		failed++;
	}
	assert_int_equal(failed, 0);
}

/* A specimen that is called after no rule may be there because its rule has another name now. */
static void each_specimen_of_a_rule_is_of_a_rule_that_exists(void **state)
{
	for (int i = 0; i < nr_specimens; i++) {
		const char *name = strstr(specimens[i], "/specimens/rules/");
		bool exists = !name;

		for (u32 rule = NO_RULE + 1; rule < NR_RULES && !exists; rule++)
			exists = specimen_of(trace_rule_name(rule)) == specimens[i];
		if (!exists)
			fail_msg("%s: core/arch/rules.txt has no such rule", specimens[i]);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_specimen_walks_as_its_thread_did),
		cmocka_unit_test(a_specimen_holds_no_data_of_the_program),
		cmocka_unit_test(what_is_no_specimen_is_refused),
		cmocka_unit_test(a_stack_that_is_not_the_kept_one_does_not_agree),
		cmocka_unit_test(specimens_of_real_programs_walk_as_they_did),
		cmocka_unit_test(each_rule_has_a_specimen_that_hits_it),
		cmocka_unit_test(each_specimen_of_a_rule_is_of_a_rule_that_exists),
	};
	int failed, fd = mkstemp(path);

	if (fd < 0)
		return 1;
	close(fd);
	specimens = argv + 1;
	nr_specimens = argc - 1;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	return failed;
}
