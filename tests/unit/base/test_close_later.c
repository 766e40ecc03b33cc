/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Are descriptors closed that are handed over, here and there, and nothing else? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>
#include "base/close_later.h"

static volatile int children_ended;

static void on_child(int signal)
{
	children_ended++;
}

/* All that can be read from @fd until nobody can write to it any more. */
static ssize_t until_end(int fd)
{
	char byte;

	return read(fd, &byte, 1);
}

static void close_later__closes_all_that_it_is_given(void **state)
{
	int pipes[5][2], fds[5];

	for (int i = 0; i < 5; i++) {
		assert_int_equal(pipe(pipes[i]), 0);
		fds[4 - i] = pipes[i][1];
	}
	close_later(fds, 5);
	for (int i = 0; i < 5; i++) {
		assert_int_equal(fcntl(pipes[i][1], F_GETFD), -1);
		assert_int_equal(errno, EBADF);
		assert_int_equal(until_end(pipes[i][0]), 0);
		close(pipes[i][0]);
	}
}

/* A descriptor whose last copy is closed there takes its time: until then nothing else of ours must be open there. */
static void close_later__keeps_nothing_else(void **state)
{
	int given[2], ours[2];

	assert_int_equal(pipe(given), 0);
	assert_int_equal(pipe(ours), 0);
	for (int i = 0; i < 20; i++) {
		int copy = dup(given[1]);

		close_later(&copy, 1);
	}
	close(ours[1]);
	assert_int_equal(until_end(ours[0]), 0);
	assert_int_equal(fcntl(given[1], F_GETFD), 0);
	close(ours[0]);
	close(given[0]);
	close(given[1]);
}

static void close_later__leaves_no_child(void **state)
{
	int fd = open("/dev/null", O_RDONLY);

	children_ended = 0;
	signal(SIGCHLD, on_child);
	close_later(&fd, 1);
	signal(SIGCHLD, SIG_DFL);
	assert_int_equal(children_ended, 0);
}

static void close_later__of_nothing_does_nothing(void **state)
{
	close_later(NULL, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(close_later__closes_all_that_it_is_given),
		cmocka_unit_test(close_later__keeps_nothing_else),
		cmocka_unit_test(close_later__leaves_no_child),
		cmocka_unit_test(close_later__of_nothing_does_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
