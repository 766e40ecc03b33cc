/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * If one tool is stopped while it holds the lock that all tools need to come and go: which tools wait for it, and for how
 * long?
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "asker.h"
#include "victim.h"

static struct asker a, b;

/* A process that locks the folder of all tools at a signal, and then is stopped; when it goes on it ends. */
static struct {
	pid_t pid;
	int go;
} holder;

static int open_folder(void)
{
	char path[600] = "";
	struct dirent *e;
	DIR *d = opendir(asker_pin);

	while (d && (e = readdir(d)))
		if (*e->d_name == 'v')
			snprintf(path, sizeof(path), "%s/%s", asker_pin, e->d_name);
	if (d)
		closedir(d);
	return open(path, O_RDONLY | O_DIRECTORY);
}

static void hold(int go)
{
	int fd;
	char byte;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (read(go, &byte, 1) != 1)
		_exit(1);
	fd = open_folder();
	if (fd < 0 || flock(fd, LOCK_EX))
		_exit(1);
	raise(SIGSTOP);
	usleep(300000);
	_exit(0);
}

/* While nobody here has a tool: children inherit locks. */
static int start_holder(void **state)
{
	int ends[2];

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	holder.pid = fork();
	assert_true(holder.pid >= 0);
	if (!holder.pid)
		hold(ends[0]);
	close(ends[0]);
	holder.go = ends[1];
	return 0;
}

static int end_all(void **state)
{
	if (holder.pid)
		live_end(holder.pid);
	close(holder.go);
	asker_close(&a);
	asker_close(&b);
	return 0;
}

static void let_it_hold(void)
{
	int status;

	assert_int_equal(write(holder.go, "", 1), 1);
	assert_int_equal(waitpid(holder.pid, &status, WUNTRACED), holder.pid);
	assert_true(WIFSTOPPED(status));
}

static void expect_said(const char *text)
{
	char wanted[64];

	snprintf(wanted, sizeof(wanted), "process %d (", holder.pid);
	if (!text || !strstr(text, wanted) || !strstr(text, "is stopped") || !strstr(text, "kill -CONT"))
		fail_msg("the holder of the lock and the remedy are not named: %s", text ? text : "nothing");
}

static void expect_folder_gone(void)
{
	assert_int_equal(access(asker_pin, F_OK), -1);
}

/* @t asks for what @v does, and gets all of it. */
static void ask(struct asker *t, struct victim *v)
{
	asker_init(t, 0, DUSK_DELIVER_RING);
	asker_attach(t, BY_RAW, v->pid, 1);
	asker_poll(t, 300);
	asker_silence(t);
	asker_poll(t, 100);
	assert_true(t->got.nr > 10);
	asker_expect(t, 1, 0);
}

static void who_begins_works_alone_after_ten_seconds_and_says_why(void **state)
{
	struct victim v;

	asker_open(&a, KIND(BY_RAW), NULL);
	let_it_hold();
	asker_open(&b, KIND(BY_RAW), NULL);
	expect_said(dusk_unwind_unshared_reason(b.unwinder));
	expect_said(b.error.text);
	v = victim_start("threads");
	ask(&b, &v);
	victim_end(&v);
}

static void who_works_already_goes_on_and_leaves(void **state)
{
	struct victim v;

	asker_open(&a, KIND(BY_RAW), NULL);
	asker_init(&a, 1, DUSK_DELIVER_RING);
	let_it_hold();
	v = victim_start("threads");
	asker_attach(&a, BY_RAW, v.pid, 1 << 1);
	asker_poll(&a, 300);
	asker_silence(&a);
	asker_poll(&a, 100);
	assert_true(a.got.nr > 10);
	asker_expect(&a, 1 << 1, 0);
	assert_int_equal(dusk_unwind_remove_consumer(a.unwinder, 1), -EBUSY);
	victim_end(&v);
	asker_close(&a);
	assert_int_equal(access(asker_pin, F_OK), 0); /* it could not be cleared away */
	live_end(holder.pid);
	holder.pid = 0;
	asker_open(&b, KIND(BY_RAW), NULL);
	assert_null(dusk_unwind_unshared_reason(b.unwinder));
	asker_close(&b);
	expect_folder_gone();
}

static void who_registers_is_told_who_is_in_the_way(void **state)
{
	asker_open(&a, KIND(BY_RAW), NULL);
	let_it_hold();
	assert_int_equal(try_init(&a, 0, DUSK_DELIVER_RING), -EBUSY);
	expect_said(a.error.text);
	kill(holder.pid, SIGCONT);
	assert_int_equal(live_wait(holder.pid, 60), 0);
	holder.pid = 0;
	asker_init(&a, 0, DUSK_DELIVER_RING);
}

static void who_begins_shares_if_the_lock_comes_back_in_time(void **state)
{
	asker_open(&a, KIND(BY_RAW), NULL);
	let_it_hold();
	kill(holder.pid, SIGCONT);
	asker_open(&b, KIND(BY_RAW), NULL);
	assert_null(dusk_unwind_unshared_reason(b.unwinder));
	assert_string_equal(b.error.text, "");
}

int main(int argc, char **argv)
{
#define with_holder(name) cmocka_unit_test_setup_teardown(name, start_holder, end_all)
	const struct CMUnitTest tests[] = {
		with_holder(who_begins_works_alone_after_ten_seconds_and_says_why),
		with_holder(who_works_already_goes_on_and_leaves),
		with_holder(who_registers_is_told_who_is_in_the_way),
		with_holder(who_begins_shares_if_the_lock_comes_back_in_time),
	};

	return ASKER_MAIN(argc, argv, tests);
}
