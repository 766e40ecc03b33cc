/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Locks that another process holds: which process is it, and what can be done? */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/unwinder/lock.h"

static char path[] = "/tmp/dusk-lock-XXXXXX";

/* A process called @name that has the lock. */
static pid_t hold(const char *name)
{
	int ready[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (!pid) {
		int fd = open(path, O_RDWR);

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NAME, name);
		if (fd < 0 || flock(fd, LOCK_EX) || write(ready[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	close(ready[1]);
	return pid;
}

static void says(const char *name)
{
	struct dusk_error err = {""};
	pid_t pid = hold(name);
	int fd = open(path, O_RDWR);
	char want[64];

	assert_int_equal(lock_take(fd, 0, NULL, 0), -EBUSY);
	assert_int_equal(lock_whose(fd, path, &err), -EBUSY);
	snprintf(want, sizeof(want), "process %d (%s)", pid, name);
	if (!strstr(err.text, want))
		fail_msg("%s, and not \"%s\"", err.text, want);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_int_equal(lock_take(fd, 1000, NULL, 0), 0);
	close(fd);
}

static void the_holder_is_named(void **state)
{
	(void)state;
	says("holder");
}

static void a_name_may_have_parentheses(void **state)
{
	(void)state;
	says("(sd-pam)");
	says(") S 1 (");
}

static int make_file(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_holder_is_named),
		cmocka_unit_test(a_name_may_have_parentheses),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
