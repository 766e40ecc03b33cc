/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Are the functions of a JIT found, and is its map believed only if it may be? */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/name.h"
#include "lib/process/perfmap.h"
#include "named.h"

static void perfmap_freep(struct perfmap **m)
{
	perfmap_free(*m);
}

/* What the tests ask for, in no order. */
static const uint64_t asked[] = {
	0x3000, 0x1000,		0x100f, 0x1010, 0x1040, 0x1060,	      0x2008,  0x2010,
	0x3008, 0x7f0000000000, 0,	0x2000, 0x1008, 0x1000 + 777, 9000000, 0x1000,
};
#define NR_ASKED (sizeof(asked) / sizeof(asked[0]))

static struct perfmap *parsed_bytes(const char *text, size_t len)
{
	struct perfmap *m = NULL;

	assert_int_equal(perfmap_parse(&m, text, len, asked, NR_ASKED), 0);
	return m;
}

static struct perfmap *parsed(const char *text)
{
	return parsed_bytes(text, strlen(text));
}

/* With what was seen of the map's length. */
static void expect_at(const struct perfmap *m, const struct perfmap_marks *marks, uint64_t address, uint64_t time_ns,
		      const char *name, uint64_t start)
{
	struct code_loads loads = {0};

	assert_int_equal(perfmap_loads(m, marks, address, &loads), 0);
	expect_loaded(&loads, time_ns, name, start);
}

/* Of a map that was as it is now before anything was sampled. */
static void expect(const struct perfmap *m, uint64_t address, const char *name, uint64_t start)
{
	struct perfmap_mark all = {UINT64_MAX, 1, 1};

	expect_at(m, &(struct perfmap_marks){&all, 1, 1}, address, 1000, name, start);
}

static void names_reach_to_the_end_of_the_line(void **state)
{
	_cleanup_(perfmap_freep) struct perfmap *m =
		parsed("1000 10 LazyCompile:*foo /app/a b.js:1:2\n0x2000 0X20 py::f:/x.py\n7f0000000000 1 last");

	(void)state;
	expect(m, 0x1000, "LazyCompile:*foo /app/a b.js:1:2", 0x1000);
	expect(m, 0x100f, "LazyCompile:*foo /app/a b.js:1:2", 0x1000);
	expect(m, 0x1010, NULL, 0);
	expect(m, 0x2010, "py::f:/x.py", 0x2000);
	expect(m, 0x7f0000000000, "last", 0x7f0000000000);
	expect(m, 0, NULL, 0);
}

static void the_later_of_two_wins(void **state)
{
	_cleanup_(perfmap_freep) struct perfmap *m =
		parsed("1000 100 old\n1040 20 new\n2000 10 first\n2000 10 second\n3000 10 inner\n2ff0 100 around\n");

	(void)state;
	expect(m, 0x1000, "old", 0x1000);
	expect(m, 0x1040, "new", 0x1040);
	expect(m, 0x1060, "old", 0x1000);
	expect(m, 0x2008, "second", 0x2000);
	expect(m, 0x3008, "around", 0x2ff0);
}

static void lines_have_the_times_between_two_looks(void **state)
{
	static const char text[] =
		"1000 10 old\n1000 10 before\n2000 10 only\n1000 10 during\n1000 10 during\n1000 10 last\n";
	size_t first = strstr(text, "2000") - text, second = strstr(text, "1000 10 last") - text;
	struct perfmap_mark at[] = {{first, 100, 200}, {second, 300, 400}, {sizeof(text) - 1, 500, 600}};
	struct perfmap_marks marks = {at, 3, 3}, none = {0}, early = {at, 1, 1};
	_cleanup_(perfmap_freep) struct perfmap *m = parsed(text);

	(void)state;
	expect_at(m, &marks, 0x1008, 50, NULL, 0); /* "old" or "before" */
	expect_at(m, &marks, 0x1008, 100, "before", 0x1000);
	expect_at(m, &marks, 0x1008, 199, "before", 0x1000);
	expect_at(m, &marks, 0x1008, 250, NULL, 0);
	expect_at(m, &marks, 0x1008, 300, "during", 0x1000);
	expect_at(m, &marks, 0x1008, 450, NULL, 0);
	expect_at(m, &marks, 0x1008, 500, "last", 0x1000);
	expect_at(m, &marks, 0x1008, 9999, "last", 0x1000);
	expect_at(m, &early, 0x1008, 150, "before", 0x1000);
	expect_at(m, &early, 0x1008, 9999, NULL, 0);
	expect_at(m, &marks, 0x2000, 1, "only", 0x2000);
	expect_at(m, &none, 0x2000, 1, "only", 0x2000);
	expect_at(m, &none, 0x1008, 9999, NULL, 0);
}

static void garbage_is_passed_over(void **state)
{
	_cleanup_(perfmap_freep) struct perfmap *m =
		parsed("\n \nx\n1000\n1000 \n1000 10\n1000 10 \n1000  10 a\n1000 0 empty\n-1000 10 minus\n"
		       "11111111111111111 10 toolong\nffffffffffffffff 10 wraps\n2000 10 good\n3000 10 cut");
	_cleanup_(perfmap_freep) struct perfmap *nothing = parsed("");

	(void)state;
	expect(m, 0x1000, NULL, 0);
	expect(m, 0x2000, "good", 0x2000);
	expect(m, 0x3000, "cut", 0x3000);
	expect(nothing, 0x1000, NULL, 0);
}

static void a_huge_map_of_overlaps_is_searched(void **state)
{
	size_t room = 40 << 20, len = 0;
	_cleanup_(freep) char *text = malloc(room);

	(void)state;
	/* Every one covers all that come after it: the worst there is. */
	for (uint64_t i = 0; i < 200000; i++)
		len += snprintf(text + len, room - len, "%jx %jx f%ju\n", (uintmax_t)(0x1000 + i),
				(uintmax_t)(10000000 - i), (uintmax_t)i);
	_cleanup_(perfmap_freep) struct perfmap *m = parsed_bytes(text, len);

	expect(m, 0x1000 + 777, "f777", 0x1000 + 777);
	expect(m, 9000000, "f199999", 0x1000 + 199999);
}

static void a_name_without_end_is_cut(void **state)
{
	_cleanup_(freep) char *text = malloc(100000);
	_cleanup_(code_loads_done) struct code_loads loads = {0};

	(void)state;
	memset(text, 'x', 100000);
	memcpy(text, "1000 10 ", 8);
	memcpy(text + 99980, "\n2000 10 behind it\n", 19);
	_cleanup_(perfmap_freep) struct perfmap *m = parsed_bytes(text, 100000);

	expect(m, 0x2000, "behind it", 0x2000);
	assert_int_equal(perfmap_loads(m, &(struct perfmap_marks){0}, 0x1000, &loads), 0);
	assert_int_equal(loads.nr, 1);
	assert_true(name_was_cut(loads.v[0].name));
}

static void set_age(const char *path, time_t seconds)
{
	struct timespec times[2] = {{.tv_sec = time(NULL) - seconds}, {.tv_sec = time(NULL) - seconds}};

	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void write_map(const char *path, const char *text)
{
	_cleanup_(fclosep) FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
}

static void the_map_of_a_process_is_found_and_checked(void **state)
{
	struct perfmap *m = NULL;
	char path[64];
	int fd;

	(void)state;
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	unlink(path);
	assert_int_equal(perfmap_open(getpid()), -ENOENT);
	write_map(path, "1000 10 jitted\n");
	fd = perfmap_open(getpid());
	assert_true(fd >= 0);
	assert_int_equal(perfmap_read(&m, fd, asked, NR_ASKED), 0);
	close(fd);
	expect(m, 0x1008, "jitted", 0x1000);
	perfmap_free(m);

	/* Written by another process that had our number. */
	set_age(path, 1000);
	assert_int_equal(perfmap_open(getpid()), -ESTALE);
	set_age(path, 0);

	if (!chown(path, 12345, 12345)) {
		fd = perfmap_open(getpid());
		assert_int_equal(fd, -EPERM);
	}
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(perfmap_open(getpid()), -EINVAL);
	unlink(path);
}

/* A process in a root of its own, which writes its map there. */
static pid_t start_in_root(const char *root)
{
	int ready[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		if (chroot(root) || chdir("/"))
			_exit(1);
		if (write(ready[1], "x", 1) == 1)
			pause();
		_exit(0);
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	return pid;
}

static void a_process_in_a_container_has_its_map_there(void **state)
{
	char root[] = "/tmp/dusk-root-XXXXXX", path[128], secret[128];
	struct perfmap *m = NULL;
	pid_t pid;
	int fd;

	(void)state;
	if (geteuid())
		skip();
	assert_non_null(mkdtemp(root));
	snprintf(path, sizeof(path), "%s/tmp", root);
	assert_int_equal(mkdir(path, 0755), 0);
	pid = start_in_root(root);
	snprintf(path, sizeof(path), "%s/tmp/perf-%d.map", root, pid);
	write_map(path, "1000 10 contained\n");
	fd = perfmap_open(pid);
	assert_true(fd >= 0);
	assert_int_equal(perfmap_read(&m, fd, asked, NR_ASKED), 0);
	expect(m, 0x1000, "contained", 0x1000);
	perfmap_free(m);
	close(fd);

	/* A link in the container must not lead to a file of ours. */
	snprintf(secret, sizeof(secret), "/tmp/dusk-secret-%d", pid);
	write_map(secret, "1000 10 secret\n");
	unlink(path);
	assert_int_equal(symlink(secret, path), 0);
	assert_int_equal(perfmap_open(pid), -ENOENT);

	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	unlink(secret);
	unlink(path);
	*strrchr(path, '/') = 0;
	rmdir(path);
	rmdir(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_reach_to_the_end_of_the_line),
		cmocka_unit_test(the_later_of_two_wins),
		cmocka_unit_test(lines_have_the_times_between_two_looks),
		cmocka_unit_test(garbage_is_passed_over),
		cmocka_unit_test(a_huge_map_of_overlaps_is_searched),
		cmocka_unit_test(a_name_without_end_is_cut),
		cmocka_unit_test(the_map_of_a_process_is_found_and_checked),
		cmocka_unit_test(a_process_in_a_container_has_its_map_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
