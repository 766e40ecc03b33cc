/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Does a request's process end when it is to, and is its turn free then? Any program does for dusk here. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>
#include "web/run.h"

static struct run *started(const char *script)
{
	struct run *r = NULL;

	assert_int_equal(run_new(&r, "/bin/sh", (const char *[]){"sh", "-c", script, NULL}), 0);
	return r;
}

/* All that it writes, of which there is little. */
static const char *read_all(struct run *r, ssize_t *end)
{
	static char text[256];
	size_t nr = 0;

	while (nr < sizeof(text) - 1 && (*end = run_read(r, text + nr, sizeof(text) - 1 - nr)) > 0)
		nr += *end;
	text[nr] = 0;
	return text;
}

static void what_it_writes_and_its_status_are_known(void **state)
{
	struct run *r = started("echo out; echo said >&2; exit 4");
	char said[RUN_SAID_BYTES];
	ssize_t end;

	(void)state;
	assert_string_equal(read_all(r, &end), "out\n");
	assert_int_equal(end, -EIO);
	assert_int_equal(run_status(r), 4);
	run_said(r, said);
	assert_string_equal(said, "said\n");
	run_free(r);
}

static void a_turn_is_free_when_its_process_has_ended_whether_or_not_it_is_read(void **state)
{
	struct run *first = started("echo 1"), *second = started("echo 2"), *third;
	ssize_t end;

	(void)state;
	third = started("echo 3"); /* nobody has read the others */
	assert_string_equal(read_all(third, &end), "3\n");
	assert_string_equal(read_all(first, &end), "1\n");
	assert_int_equal(end, 0);
	assert_string_equal(read_all(second, &end), "2\n");
	run_free(third);
	run_free(second);
	run_free(first);
}

static void what_is_brief_does_not_wait_for_what_takes_long(void **state)
{
	struct run *first = started("sleep 100"), *second = started("sleep 100"), *brief = NULL;
	ssize_t end;

	(void)state;
	assert_int_equal(run_brief(&brief, "/bin/sh", (const char *[]){"sh", "-c", "echo 1", NULL}), 0);
	assert_string_equal(read_all(brief, &end), "1\n");
	run_free(brief);
	run_free(first);
	run_free(second);
}

static void a_process_can_be_ended_by_a_signal_that_the_server_blocks(void **state)
{
	sigset_t blocked, before;
	struct run *r;
	ssize_t end;

	(void)state;
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGTERM);
	sigprocmask(SIG_BLOCK, &blocked, &before);
	r = started("kill -TERM $$; echo still here");
	sigprocmask(SIG_SETMASK, &before, NULL);
	assert_string_equal(read_all(r, &end), "");
	assert_int_equal(run_status(r), 128 + SIGTERM);
	run_free(r);
}

/* So it ends also where nobody reads what it has written. */
static void a_process_ends_itself_when_its_time_is_over(void **state)
{
	struct run *r;
	ssize_t end;
	long left_s;

	(void)state;
	if (access("/usr/bin/perl", X_OK))
		skip();
	r = started("exec perl -e 'print alarm 0'");
	left_s = strtol(read_all(r, &end), NULL, 10);
	assert_true(left_s > 0 && left_s <= 60);
	run_free(r);
}

static void at_the_end_none_is_left_and_none_begins(void **state)
{
	struct run *r = started("exec sleep 1000"), *none;
	ssize_t end;

	(void)state;
	run_stop_all();
	assert_string_equal(read_all(r, &end), "");
	assert_int_equal(end, -EIO);
	assert_int_equal(run_status(r), 128 + SIGKILL);
	run_free(r);
	assert_int_equal(run_new(&none, "/bin/sh", (const char *[]){"sh", "-c", "", NULL}), -EBUSY);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_it_writes_and_its_status_are_known),
		cmocka_unit_test(a_turn_is_free_when_its_process_has_ended_whether_or_not_it_is_read),
		cmocka_unit_test(what_is_brief_does_not_wait_for_what_takes_long),
		cmocka_unit_test(a_process_can_be_ended_by_a_signal_that_the_server_blocks),
		cmocka_unit_test(a_process_ends_itself_when_its_time_is_over),
		cmocka_unit_test(at_the_end_none_is_left_and_none_begins), /* for good */
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
