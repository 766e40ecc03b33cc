/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Code without a file: is it walked by its frame pointers, and named from the map that its maker writes? */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>
#include "live.h"

static struct dusk_profile *record(pid_t pid)
{
	const char *file = live_file("jit.dusk");

	assert_int_equal(RECORD_PROCESS(file, pid, 1000, "-F", "997"), 0);
	return live_read(file);
}

static void generated_code_is_walked_and_named(void **state)
{
	pid_t pid = START(live_victim("jit"));
	_cleanup_profile_ p = record(pid);
	char path[64];
	size_t named = 0;

	live_end(pid);
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", pid);
	unlink(path);
	for (uint64_t i = 0; i < p->nr_samples; i++) {
		const struct dusk_sample *s = &p->samples[i];
		char *sentence;

		if (live_class(p, s) != DUSK_COMPLETE)
			continue;
		sentence = live_sentence_at(p, s->node);
		if (!live_matches(sentence, "^main( call_generated( generated_function( burn)?)?)?$"))
			fail_msg("not a stack of this program: %s", sentence);
		named += !strcmp(sentence, "main call_generated generated_function burn");
		free(sentence);
	}
	print_message("%zu stacks through generated code\n", named);
	assert_true(named > 50);
	/* Between its push and its mov, a function has no frame yet. */
	assert_true(live_count(p, pid).walked - live_count(p, pid).complete <= 2);
}

/* Behind the calls of the trampolines, and at each instruction of the inner one. */
static void trampolines_of_cpython_are_walked_and_named(void **state)
{
	pid_t pid = START(live_victim("trampolines"));
	_cleanup_profile_ p = record(pid);
	size_t in_outer = 0, in_inner = 0;
	char path[64];

	live_end(pid);
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", pid);
	unlink(path);
	for (uint64_t i = 0; i < p->nr_samples; i++) {
		const struct dusk_sample *s = &p->samples[i];
		char *sentence;

		if (live_class(p, s) != DUSK_COMPLETE)
			continue;
		sentence = live_sentence_at(p, s->node);
		if (!live_matches(sentence,
				  "^main( run( py::outer( evaluate_outer( py::inner( evaluate_inner)?)?)?)?)?$"))
			fail_msg("not a stack of this program: %s", sentence);
		in_outer += !strncmp(sentence, "main run py::outer evaluate_outer", 33);
		in_inner += !strcmp(sentence, "main run py::outer evaluate_outer py::inner");
		free(sentence);
	}
	print_message("%zu stacks through the outer trampoline, %zu in the inner one\n", in_outer, in_inner);
	assert_true(in_outer > 50);
	assert_true(in_inner > 5);
	/* At its own instructions, the outer one is not known: too little can be read before them. */
	assert_true(live_count(p, pid).walked - live_count(p, pid).complete <= live_count(p, pid).walked / 100);
}

/* A victim whose map is @link, or has been grown to @bytes. To be ended with end_jit(). */
static pid_t start_jit(char map[64], const char *link, off_t bytes)
{
	pid_t pid = START(live_victim("jit"));

	snprintf(map, 64, "/tmp/perf-%d.map", pid);
	if (!link) {
		assert_int_equal(truncate(map, bytes), 0);
		return pid;
	}
	unlink(map);
	assert_int_equal(symlink(link, map), 0);
	return pid;
}

static void end_jit(pid_t pid, const char *map)
{
	live_end(pid);
	unlink(map);
}

/* Record @pid for a second; what is said goes to @said. */
static void record_and_hear(pid_t pid, const char *file, char *said, size_t room)
{
	const char *errors = live_file("errors");
	char command[9000];
	size_t len;
	pid_t recorder;
	FILE *f;

	snprintf(command, sizeof(command), "exec '%s' record -e cpu -F 997 -d 1s -p %d -o '%s' 2>'%s'", live_dusk(),
		 pid, file, errors);
	recorder = live_start(false, (const char *const[]){"sh", "-c", command, NULL});
	assert_int_equal(live_wait(recorder, 60), 0);
	f = fopen(errors, "r");
	assert_non_null(f);
	len = fread(said, 1, room - 1, f);
	said[len] = 0;
	fclose(f);
}

static void expect_walked_and_nameless(const char *file, pid_t pid)
{
	_cleanup_profile_ p = live_read(file);

	assert_true(p->finished);
	assert_true(live_count(p, pid).complete > 10);
	for (uint64_t i = 0; i < p->nr_samples; i++) {
		char *sentence = live_sentence_at(p, p->samples[i].node);

		assert_null(strstr(sentence, "generated_function"));
		free(sentence);
	}
}

/* A /proc of our own, whose files are as old as the mount. In our own mount namespace. */
static int mount_proc(void **state)
{
	static char folder[] = "/tmp/dusk-proc-XXXXXX";

	*state = folder;
	return !mkdtemp(folder) || mount("proc", folder, "proc", 0, NULL);
}

static int unmount_proc(void **state)
{
	return umount2(*state, MNT_DETACH) || rmdir(*state);
}

/* The log of the kernel, where a reader waits at the end. It is no older than the process. */
static void a_map_that_the_kernel_makes_up_is_none(void **state)
{
	const char *file = live_file("kmsg.dusk");
	char map[64], said[4096], kmsg[64];
	pid_t pid;

	snprintf(kmsg, sizeof(kmsg), "%s/kmsg", (const char *)*state);
	pid = start_jit(map, kmsg, 0);
	record_and_hear(pid, file, said, sizeof(said));
	expect_walked_and_nameless(file, pid);
	end_jit(pid, map);
}

static void a_map_that_is_a_fifo_is_none(void **state)
{
	const char *file = live_file("fifo.dusk"), *fifo = live_file("fifo");
	char map[64], said[4096];
	pid_t pid;

	assert_int_equal(mkfifo(fifo, 0666), 0);
	pid = start_jit(map, fifo, 0);
	record_and_hear(pid, file, said, sizeof(said));
	expect_walked_and_nameless(file, pid);
	end_jit(pid, map);
}

static void that_a_map_is_too_large_is_said(void **state)
{
	const char *file = live_file("large.dusk");
	char map[64], said[4096], wanted[64];
	pid_t pid = start_jit(map, NULL, 1 << 30);

	record_and_hear(pid, file, said, sizeof(said));
	snprintf(wanted, sizeof(wanted), "the JIT of process %d wrote", pid);
	if (!strstr(said, wanted) || !strstr(said, "too large"))
		fail_msg("not said: %s", said);
	expect_walked_and_nameless(file, pid);
	end_jit(pid, map);
}

/* Stacks through generated code, by the name of the generated function. */
struct generated {
	size_t first, second, unnamed;
};

/* A stack says itself which function it was: no name may say something else. */
static struct generated count_generated(const struct dusk_profile *p)
{
	struct generated n = {0};

	for (uint64_t i = 0; i < p->nr_samples; i++) {
		const struct dusk_sample *s = &p->samples[i];
		char *sentence = live_sentence_at(p, s->node);

		if (live_class(p, s) == DUSK_COMPLETE && strstr(sentence, "run_generated")) {
			if (live_matches(sentence, "run_generated first_generated( burn_first)?$"))
				n.first += s->count;
			else if (live_matches(sentence, "run_generated second_generated( burn_second)?$"))
				n.second += s->count;
			else if (strstr(sentence, "first_generated") || strstr(sentence, "second_generated"))
				fail_msg("a wrong name: %s", sentence);
			else if (strstr(sentence, " burn_"))
				n.unnamed += s->count;
		}
		free(sentence);
	}
	print_message("%zu stacks of the first one, %zu of the second one, %zu without a name\n", n.first, n.second,
		      n.unnamed);
	return n;
}

static void unlink_files(pid_t pid)
{
	char name[64];

	snprintf(name, sizeof(name), "/tmp/perf-%d.map", pid);
	unlink(name);
	snprintf(name, sizeof(name), "/tmp/jit-%d.dump", pid);
	unlink(name);
	snprintf(name, sizeof(name), "/dev/shm/dusk-jit-%d", pid);
	unlink(name);
}

/* Record, in @mode, what @turns says of code in memory of @kind, for @ms, of which @file has the names. */
static struct generated record_mode(const char *mode, const char *kind, const char *file, const char *turns, int ms)
{
	pid_t pid = START(live_victim("generates"), kind, file, turns), recorder;
	const char *profile = live_file("memory.dusk");
	char number[16];
	struct generated n;

	snprintf(number, sizeof(number), "%d", pid);
	recorder = START_RECORD(profile, "--mode", mode, "-p", number, "-F", "997");
	usleep(ms * 1000);
	assert_int_equal(live_stop_record(recorder), 0);
	live_end(pid);
	unlink_files(pid);
	_cleanup_profile_ p = live_read(profile);
	n = count_generated(p);
	return n;
}

static struct generated record_memory(const char *kind, const char *file, const char *turns, int ms)
{
	return record_mode("full", kind, file, turns, ms);
}

static void expect_named(const char *mode, const char *kind, const char *file)
{
	struct generated n = record_mode(mode, kind, file, "once", 700);

	print_message("%s, %s, %s\n", mode, kind, file);
	assert_true(n.first > 10);
	assert_int_equal(n.unnamed, 0);
}

/* For the kernel, all of these are files. */
static void jit__code_in_any_memory_is_named(void **state)
{
	static const char *const kinds[] = {"shared", "sysv", "memfd", "private_memfd", "shm", "zero"};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		expect_named("full", kinds[i], i % 2 ? "map" : "dump");
		expect_named("copied", kinds[i], "map");
	}
}

#define HUGE_PAGES "/proc/sys/vm/nr_overcommit_hugepages"

/* Set how many huge pages may be made at need, and return how many that was; -1: it cannot be set. */
static long set_huge_pages(long nr)
{
	FILE *f = fopen(HUGE_PAGES, "r+");
	long before;

	if (!f)
		return -1;
	if (fscanf(f, "%ld", &before) != 1)
		before = -1;
	rewind(f);
	fprintf(f, "%ld", nr);
	return fclose(f) ? -1 : before;
}

static int allow_huge_pages(void **state)
{
	static long before;

	before = set_huge_pages(4);
	*state = &before;
	return 0;
}

static int restore_huge_pages(void **state)
{
	const long *before = *state;

	return *before >= 0 && set_huge_pages(*before) < 0;
}

static void jit__code_in_huge_pages_is_named(void **state)
{
	if (*(const long *)*state < 0) {
		print_message("no huge pages\n");
		skip();
	}
	expect_named("full", "huge", "map");
	expect_named("copied", "huge", "map");
}

static void jit__memory_used_again_is_named_by_time(void **state)
{
	struct generated by_dump = record_memory("private", "dump", "again", 2500);
	struct generated by_map = record_memory("private", "map", "again", 2500);

	assert_true(by_dump.first > 10 && by_dump.second > 10);
	assert_int_equal(by_dump.unnamed, 0);
	/* Lines of a map have no times, so around each change a moment is uncertain. */
	assert_true(by_map.first > 10 && by_map.second > 10);
}

static void jit__two_files_of_a_process_are_both_asked(void **state)
{
	struct generated n = record_memory("private", "both", "once", 1000);

	assert_true(n.first > 10 && n.second > 10);
	assert_int_equal(n.unnamed, 0);
}

static void jit__a_child_has_the_code_of_its_parent(void **state)
{
	struct generated by_map = record_memory("private", "map", "fork", 1000);
	struct generated by_dump = record_memory("private", "dump", "grandchild", 1000);

	assert_true(by_map.first > 10 && by_dump.first > 10);
	assert_int_equal(by_map.unnamed + by_dump.unnamed, 0);
}

static void node_is_walked(void **state)
{
	static const char script[] =
		"console.log('ready'); function f(n) { let s = 0; for (let i = 0; i < 1e6; i++) s += i % n; return s }"
		" for (;;) f(7)";
	pid_t pid;

	if (access("/usr/bin/node", X_OK)) {
		print_message("no node\n");
		skip();
	}
	pid = START("/usr/bin/node", "-e", script);
	_cleanup_profile_ p = record(pid);
	struct live_tally t = live_count(p, pid);

	live_end(pid);
	print_message("node: %llu stacks, %.2f %% complete\n", (unsigned long long)t.walked,
		      100.0 * t.complete / t.walked);
	assert_true(t.walked > 50);
	assert_true(t.complete * 100 >= t.walked * 99);
}

/* Its dump is found by the mapping, and says what was at an address at that time. */
static void node_is_named_by_its_dump(void **state)
{
	static const char script[] = "console.log('ready'); function busy(n) { let s = 0; for (let i = 0; i < 1e6; "
				     "i++) s += i % n; return s }"
				     " for (;;) busy(7)";
	char here[4096], dump[64];
	size_t busy = 0, code = 0;
	pid_t pid;

	if (access("/usr/bin/node", X_OK)) {
		print_message("no node\n");
		skip();
	}
	assert_non_null(getcwd(here, sizeof(here)));
	assert_int_equal(chdir(live_folder), 0);
	pid = START("/usr/bin/node", "--perf-prof", "-e", script);
	assert_int_equal(chdir(here), 0);
	assert_int_equal(RECORD_PROCESS(live_file("jit.dusk"), pid, 1000, "-F", "997", "--no-lang"), 0);
	_cleanup_profile_ p = live_read(live_file("jit.dusk"));

	live_end(pid);
	snprintf(dump, sizeof(dump), "jit-%d.dump", pid);
	unlink(live_file(dump));
	for (uint64_t i = 0; i < p->nr_samples; i++) {
		const struct dusk_frame *f = &p->frames[p->nodes[p->samples[i].node].frame];

		if (p->modules[f->module].kind != DUSK_MODULE_ANON)
			continue;
		code++;
		busy += !strncmp(p->functions[f->function].name, "JS:", 3) &&
			strstr(p->functions[f->function].name, "busy");
	}
	print_message("%zu samples in generated code, %zu of them in JavaScript's busy()\n", code, busy);
	assert_true(busy > 50 && busy * 10 >= code * 9);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(generated_code_is_walked_and_named),
		cmocka_unit_test(trampolines_of_cpython_are_walked_and_named),
		cmocka_unit_test_setup_teardown(a_map_that_the_kernel_makes_up_is_none, mount_proc, unmount_proc),
		cmocka_unit_test(a_map_that_is_a_fifo_is_none),
		cmocka_unit_test(that_a_map_is_too_large_is_said),
		cmocka_unit_test(jit__code_in_any_memory_is_named),
		cmocka_unit_test_setup_teardown(jit__code_in_huge_pages_is_named, allow_huge_pages, restore_huge_pages),
		cmocka_unit_test(jit__memory_used_again_is_named_by_time),
		cmocka_unit_test(jit__two_files_of_a_process_are_both_asked),
		cmocka_unit_test(jit__a_child_has_the_code_of_its_parent),
		cmocka_unit_test(node_is_walked),
		cmocka_unit_test(node_is_named_by_its_dump),
	};

	return LIVE_MAIN(argc, argv, tests);
}
