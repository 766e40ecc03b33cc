/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which files of one build id are one file? This program is the file, and its processes are of different users. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "lib/buildid.h"
#include "lib/copied/code_files.h"

#define STRANGER 65534

static char dir[] = "/tmp/dusk-code-files-XXXXXX";
static char path[64], build_id[BUILDID_TEXT_BYTES];

static int make_file(void **state)
{
	char command[256];

	(void)state;
	if (!mkdtemp(dir) || chmod(dir, 0755))
		return 1;
	snprintf(path, sizeof(path), "%s/file", dir);
	snprintf(command, sizeof(command), "cp /proc/%d/exe %s && chmod 755 %s", getpid(), path, path);
	if (system(command))
		return 1;
	_cleanup_(closep) int fd = open(path, O_RDONLY | O_CLOEXEC);

	return buildid_read(build_id, sizeof(build_id), fd);
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path) || rmdir(dir);
}

/* A process of @user, until it is killed. */
static pid_t live_as(uid_t user)
{
	int ends[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (!pid) {
		if (setresuid(user, user, user) || write(ends[1], "x", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	assert_int_equal(read(ends[0], &byte, 1), 1);
	close(ends[0]);
	close(ends[1]);
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static uint32_t number_of(struct code_files *f, pid_t pid)
{
	const struct code_file_identity id = {.build_id = build_id, .path = path, .pid = pid};
	uint32_t number;

	assert_int_equal(code_files_number(f, &id, &number), 0);
	return number;
}

static void code_files__of_two_users_are_not_one_by_their_build_id(void **state)
{
	struct code_files f;
	pid_t stranger, gone;
	uint32_t ours, theirs;

	(void)state;
	if (geteuid())
		skip();
	stranger = live_as(STRANGER);
	gone = live_as(STRANGER);
	end(gone);
	assert_int_equal(code_files_init(&f), 0);
	theirs = number_of(&f, stranger);
	ours = number_of(&f, getpid());
	assert_int_not_equal(ours, theirs);
	assert_int_not_equal(number_of(&f, gone), theirs);
	assert_int_not_equal(number_of(&f, gone), ours);
	assert_int_equal(number_of(&f, getpid()), ours);
	assert_int_equal(number_of(&f, stranger), theirs);
	assert_true(code_files_has(&f, ours) && code_files_has(&f, theirs));
	code_files_done(&f);
	end(stranger);
}

/* A process may have become root's since it mapped the file. */
static void code_files__of_strangers_are_not_roots_by_their_build_id(void **state)
{
	struct code_files f;
	pid_t stranger;

	(void)state;
	if (geteuid())
		skip();
	assert_int_equal(chown(path, STRANGER, -1), 0);
	stranger = live_as(STRANGER);
	assert_int_equal(code_files_init(&f), 0);
	assert_false(code_files_has(&f, number_of(&f, getpid())));
	assert_true(code_files_has(&f, number_of(&f, stranger)));
	code_files_done(&f);
	end(stranger);
	assert_int_equal(chown(path, 0, -1), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(code_files__of_two_users_are_not_one_by_their_build_id),
		cmocka_unit_test(code_files__of_strangers_are_not_roots_by_their_build_id),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
