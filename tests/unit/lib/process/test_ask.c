/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A child that asks: its answer comes completely, or it is given up. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
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

static int open_this(void *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static int open_never(void *ctx)
{
	pause();
	return 0;
}

static int open_and_die(void *ctx)
{
	raise(SIGKILL);
	return 0;
}

static void a_file_that_a_child_opens_is_open_here(void **state)
{
	struct stat st, here;
	int fd = ask_for_file(open_this, (char *)"/proc/self/exe");

	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(stat("/proc/self/exe", &here), 0);
	assert_int_equal(st.st_ino, here.st_ino);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	close(fd);
	assert_int_equal(ask_for_file(open_this, (char *)"/no/such/file"), -ENOENT);
	assert_int_equal(ask_for_file(open_and_die, NULL), -ECHILD);
	expect_no_child();
}

static void a_file_that_never_opens_is_not_waited_for(void **state)
{
	alarm(60);
	assert_int_equal(ask_for_file(open_never, NULL), -ETIMEDOUT);
	alarm(0);
	expect_no_child();
}

enum what { COUNT, DIE, HANG, IS_OPEN };
struct question {
	enum what what;
	int fd;
};

static ssize_t answer_one(const void *question, char *ret, size_t size)
{
	static int nr;
	struct question q;

	memcpy(&q, question, sizeof(q));
	switch (q.what) {
	case COUNT: return ++nr;
	case DIE: raise(SIGKILL); break;
	case HANG: pause(); break;
	case IS_OPEN: return fcntl(q.fd, F_GETFD) < 0 ? -errno : 0;
	}
	return 0;
}

static ssize_t ask_one(struct ask_child *c, enum what what)
{
	const struct question q = {what, open("/dev/null", O_RDONLY | O_CLOEXEC)};
	ssize_t ret = ask_again(c, answer_one, &q, sizeof(q), answer, 4);

	close(q.fd);
	return ret;
}

static void a_child_answers_until_it_is_ended(void **state)
{
	struct ask_child c = {0};
	pid_t first;

	assert_int_equal(ask_one(&c, COUNT), 1);
	first = c.pid;
	assert_int_equal(kill(c.pid, SIGINT), 0); /* as to all of a terminal */
	assert_int_equal(ask_one(&c, COUNT), 2);
	assert_int_equal(ask_one(&c, COUNT), 3);
	assert_int_equal(c.pid, first);
	ask_end(&c);
	expect_no_child();
	assert_int_equal(ask_one(&c, COUNT), 1);
	ask_end(&c);
	expect_no_child();
}

static void a_child_that_answers_has_none_of_our_descriptors(void **state)
{
	int first = open("/dev/null", O_RDONLY | O_CLOEXEC);
	struct ask_child c = {0};

	assert_int_equal(ask_one(&c, IS_OPEN), -EBADF);
	close(first);
	ask_end(&c);
}

static void after_a_child_that_died_or_hangs_comes_another(void **state)
{
	struct ask_child c = {0};

	alarm(60);
	assert_int_equal(ask_one(&c, COUNT), 1);
	assert_int_equal(ask_one(&c, DIE), -ECHILD);
	assert_int_equal(ask_one(&c, COUNT), 1);
	assert_int_equal(ask_one(&c, HANG), -ETIMEDOUT);
	expect_no_child();
	assert_int_equal(ask_one(&c, COUNT), 1);
	ask_end(&c);
	alarm(0);
	expect_no_child();
}

/* And then, as the time is wasted, nobody else is asked. */
static void a_child_that_hangs_is_given_up_and_not_asked_again_and_again(void **state)
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

static void ask__asks_again_a_minute_after_it_gave_up(void **state)
{
	struct ask_child c = {0};
	ssize_t ret;

	alarm(60);
	do
		ret = ask_one(&c, HANG);
	while (ret == -ETIMEDOUT);
	assert_int_equal(ret, -EBUSY);
	assert_int_equal(ask_one(&c, COUNT), -EBUSY);
	c.wasted_ns.at_ns -= ASK_REFILL_S * 1000000000ULL; /* instead of waiting */
	assert_int_equal(ask_one(&c, COUNT), 1);
	ask_end(&c);
	alarm(0);
	expect_no_child();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_answer_comes_whole),
		cmocka_unit_test(an_error_is_an_answer),
		cmocka_unit_test(a_child_that_dies_has_no_answer),
		cmocka_unit_test(a_file_that_a_child_opens_is_open_here),
		cmocka_unit_test(a_file_that_never_opens_is_not_waited_for),
		cmocka_unit_test(a_child_answers_until_it_is_ended),
		cmocka_unit_test(a_child_that_answers_has_none_of_our_descriptors),
		cmocka_unit_test(after_a_child_that_died_or_hangs_comes_another),
		cmocka_unit_test(a_child_that_hangs_is_given_up_and_not_asked_again_and_again),
		cmocka_unit_test(ask__asks_again_a_minute_after_it_gave_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
