/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "lib/buildid.h"
#include "lib/process/ask.h"
#include "lib/process/loader.h"
#include "lib/process/title.h"
#include "titled_process.h"

static struct process_title title[TITLES_AT_ONCE];
static struct ask_child child;

static void the_title_of_a_process_is_its_arguments(void **state)
{
	struct titled_process a = titled_process("postgres: alice", "b c"), b = titled_process("cc1", "-quiet");
	pid_t pid[] = {a.pid, b.pid};

	(void)state;
	assert_int_equal(titles_read(&child, pid, 2, false, title), 0);
	assert_string_equal(title[0].title, "postgres: alice -c read x && exec $0 b c");
	assert_string_equal(title[1].title, "cc1 -c read x && exec $0 -quiet");
	titled_process_end(&a);
	titled_process_end(&b);
}

static void a_title_is_that_of_a_users_process(void **state)
{
	pid_t pid;

	(void)state;
	if (getuid())
		skip();
	pid = fork();
	if (!pid) {
		assert_int_equal(setresuid(12345, 0, 0), 0);
		pause();
		_exit(1);
	}
	do
		assert_int_equal(titles_read(&child, &pid, 1, false, title), 0);
	while (!title[0].uid);
	assert_int_equal(title[0].uid, 12345);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void control_characters_of_a_title_are_replaced(void **state)
{
	struct titled_process a = titled_process("one\ntwo\x1b[31m\x7f", "\xff");

	(void)state;
	assert_int_equal(titles_read(&child, &a.pid, 1, false, title), 0);
	assert_string_equal(title[0].title, "one?two?[31m? -c read x && exec $0 \xff");
	titled_process_end(&a);
}

static void a_long_title_loses_its_middle(void **state)
{
	char argument[5001], *at;
	struct titled_process a;

	(void)state;
	/* Characters of two bytes each, so that a cut at any byte would leave halves of them. */
	for (size_t i = 0; i < 5000; i += 2)
		memcpy(argument + i, "\xc3\xa4", 2);
	strcpy(argument + 4990, " file.c");
	a = titled_process("cc1", argument);
	assert_int_equal(titles_read(&child, &a.pid, 1, false, title), 0);
	assert_in_range(strlen(title[0].title), TITLE_BYTES - 4, TITLE_BYTES - 1);
	assert_int_equal(strncmp(title[0].title, "cc1 -c read x && exec $0 \xc3\xa4", 27), 0);
	assert_string_equal(title[0].title + strlen(title[0].title) - 7, " file.c");
	at = strstr(title[0].title, "\xe2\x80\xa6");
	assert_non_null(at);
	assert_int_equal((unsigned char)at[-1], 0xa4);
	assert_int_equal((unsigned char)at[3], 0xc3);
	titled_process_end(&a);
}

static void a_service_is_what_the_environment_says(void **state)
{
	struct titled_process none = titled_process("none", ""), some;
	pid_t pid[2];

	(void)state;
	setenv("OTEL_SERVICE_NAME", "shop\x1b[31m", 1);
	some = titled_process("some", "");
	unsetenv("OTEL_SERVICE_NAME");
	pid[0] = none.pid;
	pid[1] = some.pid;
	assert_int_equal(titles_read(&child, pid, 2, false, title), 0);
	assert_string_equal(title[0].service, "");
	assert_string_equal(title[1].service, "shop?[31m");
	titled_process_end(&none);
	titled_process_end(&some);
}

static void a_version_is_the_build_id_of_the_program(void **state)
{
	struct titled_process a = titled_process("sh", "");
	char id[BUILDID_TEXT_BYTES];
	int fd = open("/bin/sh", O_RDONLY);

	(void)state;
	assert_int_equal(buildid_read(id, sizeof(id), fd), 0);
	assert_int_equal(titles_read(&child, &a.pid, 1, false, title), 0);
	assert_string_equal(title[0].version, id);
	assert_int_equal(titles_read(&child, &a.pid, 1, false, title), 0); /* from what was read before */
	assert_string_equal(title[0].version, id);
	assert_true(*id);
	close(fd);
	titled_process_end(&a);
}

static const char *program_of(const char *args, size_t bytes)
{
	return loader_argument(args, bytes) ?: "none";
}

#define PROGRAM_OF(args) program_of(args, sizeof(args))

static void title__the_program_is_behind_the_linkers_options(void **state)
{
	assert_string_equal(PROGRAM_OF("ld.so\0/bin/a\0b"), "/bin/a");
	assert_string_equal(PROGRAM_OF("ld.so\0--inhibit-cache\0--library-path\0/lib\0a\0--preload"), "a");
	assert_string_equal(PROGRAM_OF("ld.so\0--library-path=/lib\0a"), "a");
	assert_string_equal(PROGRAM_OF("ld.so\0--\0--a"), "--a");
	assert_string_equal(program_of("ld.so\0--\0a", 10), "none"); /* cut */
	assert_string_equal(PROGRAM_OF("ld.so\0--list"), "none");
	assert_string_equal(PROGRAM_OF("ld.so\0--argv0"), "none");
	assert_string_equal(PROGRAM_OF("ld.so\0"), "none");
	assert_string_equal(program_of("ld.so", 5), "none"); /* no 0 byte */
	assert_string_equal(program_of("", 0), "none");
}

/* The path of the dynamic linker of this program; "": it has none. */
static void find_linker(char path[PATH_MAX])
{
	FILE *f = fopen("/proc/self/maps", "re");
	char line[PATH_MAX + 128];

	*path = 0;
	while (f && fgets(line, sizeof(line), f))
		if (strchr(line, '/') && strstr(line, "/ld-"))
			sscanf(strchr(line, '/'), "%4095s", path);
	if (f)
		fclose(f);
}

static void title__a_program_run_by_the_linker_is_the_program(void **state)
{
	char linker[PATH_MAX], id[BUILDID_TEXT_BYTES];
	int fd = open("/bin/sleep", O_RDONLY | O_CLOEXEC);
	pid_t pid;

	find_linker(linker);
	if (!*linker || fd < 0 || buildid_read(id, sizeof(id), fd))
		skip();
	pid = fork();
	if (!pid) {
		execl(linker, linker, "--inhibit-cache", "/bin/sleep", "100", NULL);
		_exit(1);
	}
	for (int i = 0; i < 500 && (titles_read(&child, &pid, 1, false, title), strcmp(title[0].version, id)); i++)
		usleep(10000);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(fd);
	assert_string_equal(title[0].version, id);
	if (*title[0].service) /* with a unit or a container, it is that one's */
		assert_string_equal(title[0].service, "sleep");
}

static void a_process_that_is_gone_has_none(void **state)
{
	struct titled_process a = titled_process("gone", "");
	pid_t pid[] = {a.pid, 2};

	(void)state;
	titled_process_end(&a);
	strcpy(title[0].title, "before");
	assert_int_equal(titles_read(&child, pid, 2, false, title), 0);
	assert_string_equal(title[0].title, "");
	assert_int_equal(titles_read(&child, pid, TITLES_AT_ONCE + 1, false, title), -E2BIG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_title_of_a_process_is_its_arguments),
		cmocka_unit_test(a_title_is_that_of_a_users_process),
		cmocka_unit_test(control_characters_of_a_title_are_replaced),
		cmocka_unit_test(a_long_title_loses_its_middle),
		cmocka_unit_test(a_service_is_what_the_environment_says),
		cmocka_unit_test(a_version_is_the_build_id_of_the_program),
		cmocka_unit_test(title__the_program_is_behind_the_linkers_options),
		cmocka_unit_test(title__a_program_run_by_the_linker_is_the_program),
		cmocka_unit_test(a_process_that_is_gone_has_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
