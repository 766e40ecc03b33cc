/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A child that asks: its answer comes whole, or nobody waits for it. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include "lib/process/ask.h"

#define LONG (1 << 20)

static char answer[LONG];

static ssize_t fill(void *ctx, char *ret, size_t size)
{
	memset(ret, 'x', size);
	return size - *(int *)ctx;
}

static ssize_t refuse(void *ctx, char *ret, size_t size)
{
	return -ENOENT;
}

static ssize_t die(void *ctx, char *ret, size_t size)
{
	raise(SIGKILL);
	return 0;
}

static ssize_t hang(void *ctx, char *ret, size_t size)
{
	pause();
	return 0;
}

static void expect_no_child(void)
{
	while (waitpid(-1, NULL, 0) > 0) /* killed, but on a busy machine not over yet */
		;
	assert_int_equal(errno, ECHILD);
}

static void an_answer_comes_whole(void **state)
{
	int less = 5;

	memset(answer, 0, sizeof(answer));
	assert_int_equal(ask_in_child(fill, &less, answer, LONG), LONG - 5);
	assert_int_equal(answer[0], 'x');
	assert_int_equal(answer[LONG - 6], 'x');
	assert_int_equal(answer[LONG - 5], 0);
	expect_no_child();
}

static void an_error_is_an_answer(void **state)
{
	assert_int_equal(ask_in_child(refuse, NULL, answer, LONG), -ENOENT);
	expect_no_child();
}

static void a_child_that_dies_has_no_answer(void **state)
{
	assert_int_equal(ask_in_child(die, NULL, answer, LONG), -ECHILD);
	expect_no_child();
}

/* And then, as the time is wasted, nobody else is asked. */
static void who_does_not_answer_is_not_waited_for_and_not_again_and_again(void **state)
{
	int tries = 0, ret;

	alarm(60); /* for children that go on */
	do {
		ret = ask_in_child(hang, NULL, answer, LONG);
		expect_no_child();
	} while (ret == -ETIMEDOUT && ++tries);
	alarm(0);
	assert_int_equal(ret, -EBUSY);
	assert_in_range(tries, 1, ASK_WASTED_MS / ASK_MS + 1);
	assert_int_equal(ask_in_child(refuse, NULL, answer, LONG), -EBUSY);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_answer_comes_whole),
		cmocka_unit_test(an_error_is_an_answer),
		cmocka_unit_test(a_child_that_dies_has_no_answer),
		cmocka_unit_test(who_does_not_answer_is_not_waited_for_and_not_again_and_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
