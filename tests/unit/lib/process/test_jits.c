/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Whose files name the code of a process: its own, and its parent's as of the fork, unless it runs another program. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "lib/process/jits.h"
#include "lib/process/procfs.h"

static void jits_freep(struct jits **j)
{
	jits_free(*j);
}

static void write_map(pid_t pid, const char *text, const char *mode)
{
	char name[64];
	FILE *f;

	snprintf(name, sizeof(name), "/tmp/perf-%d.map", pid);
	f = fopen(name, mode);
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void unlink_map(pid_t pid)
{
	char name[64];

	snprintf(name, sizeof(name), "/tmp/perf-%d.map", pid);
	unlink(name);
}

/* A child that waits; @exec: it runs another program. Its /proc is that of this program, or of the other one. */
static pid_t child(bool exec)
{
	int ready[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (exec) /* which closes the pipe */
			execlp("sleep", "sleep", "1000", NULL);
		if (write(ready[1], "x", 1) == 1)
			pause();
		_exit(0);
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), exec ? 0 : 1);
	close(ready[0]);
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	unlink_map(pid);
}

/* The name at @address of @pid long after all, or "". */
static const char *name_in(struct jits *j, pid_t pid, uint64_t address)
{
	_cleanup_(code_loads_done) struct code_loads loads = {0};
	struct code_lives lives = {0};
	const struct code_life *life;
	const char *name;

	assert_int_equal(jits_loads(j, pid, address, &loads), 0);
	assert_int_equal(code_lives_find(&lives, &loads), 0);
	life = code_lives_at(&lives, UINT64_MAX - 1, UINT64_MAX - 1);
	name = life ? life->name : "";
	vec_done(&lives);
	return name;
}

static void jits__a_child_has_its_parents_code_and_its_own(void **state)
{
	_cleanup_(jits_freep) struct jits *j = jits_new(64);
	pid_t pid;

	write_map(getpid(), "1000 10 before\n2000 10 replaced\n", "w");
	pid = child(false);
	write_map(pid, "2000 10 own\n", "w");
	jits_look(j, pid);
	assert_int_equal(jits_want(j, pid, 0x1000) | jits_want(j, pid, 0x2000) | jits_want(j, pid, 0x3000), 0);
	assert_string_equal(name_in(j, pid, 0x1000), "before");
	assert_string_equal(name_in(j, pid, 0x3000), "");
	end(pid);
	unlink_map(getpid());
}

static void jits__what_came_after_the_fork_is_the_parents(void **state)
{
	_cleanup_(jits_freep) struct jits *j = jits_new(64);
	pid_t pid;

	write_map(getpid(), "1000 10 before\n", "w");
	jits_look(j, getpid());
	pid = child(false);
	usleep(300000);
	jits_follow(j, false);
	write_map(getpid(), "1000 10 after\n3000 10 after\n", "a");
	jits_look(j, pid);
	jits_follow(j, true);
	assert_int_equal(jits_want(j, pid, 0x1000) | jits_want(j, pid, 0x3000) | jits_want(j, getpid(), 0x1000), 0);
	assert_string_equal(name_in(j, getpid(), 0x1000), "after");
	assert_string_equal(name_in(j, pid, 0x1000), "before");
	assert_string_equal(name_in(j, pid, 0x3000), "");
	end(pid);
	unlink_map(getpid());
}

static void jits__another_program_has_nothing_of_its_parent(void **state)
{
	_cleanup_(jits_freep) struct jits *j = jits_new(64);
	struct procfs_origin origin;
	pid_t pid;

	write_map(getpid(), "1000 10 before\n", "w");
	pid = child(true);
	assert_int_equal(procfs_origin(pid, &origin), 0);
	assert_int_equal(origin.parent, getpid());
	jits_look(j, pid);
	assert_int_equal(jits_want(j, pid, 0x1000), 0);
	assert_string_equal(name_in(j, pid, 0x1000), "");
	end(pid);
	unlink_map(getpid());
}

static pid_t one_that_is_gone(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
	return pid;
}

/* Most processes with generated code write nothing: to find that out begins, and ends, no other process. */
static void jits__processes_without_files_are_asked_by_one_child(void **state)
{
	_cleanup_(jits_freep) struct jits *j = jits_new(64);
	struct rusage before, after;
	pid_t pid[20], gone = one_that_is_gone();

	for (int i = 0; i < 20; i++)
		pid[i] = child(false);
	getrusage(RUSAGE_CHILDREN, &before);
	for (int i = 0; i < 20; i++)
		jits_look(j, pid[i]);
	jits_look(j, gone);
	jits_follow(j, true);
	getrusage(RUSAGE_CHILDREN, &after);
	assert_int_equal(after.ru_minflt, before.ru_minflt);
	for (int i = 0; i < 20; i++)
		end(pid[i]);
}

static void jits__looks_that_are_not_allowed_are_counted_and_made_up_for(void **state)
{
	_cleanup_(jits_freep) struct jits *j = jits_new(64);
	pid_t pid[2];

	write_map(getpid(), "1000 10 before\n", "w");
	for (int i = 0; i < 2; i++)
		pid[i] = child(false);
	write_map(pid[1], "2000 10 own\n", "w");
	jits_allow(j, 1);
	jits_look(j, pid[0]); /* its parent is left out, or its own files are */
	jits_look(j, pid[1]);
	assert_int_equal(jits_left_out(j), 2);
	jits_allow(j, 2);
	jits_look(j, pid[1]);
	jits_follow(j, true);
	assert_int_equal(jits_left_out(j), 2);
	for (int i = 0; i < 2; i++)
		assert_int_equal(jits_want(j, pid[i], 0x1000) | jits_want(j, pid[i], 0x2000), 0);
	assert_string_equal(name_in(j, pid[0], 0x1000), "before");
	assert_string_equal(name_in(j, pid[1], 0x1000), "before");
	assert_string_equal(name_in(j, pid[1], 0x2000), "own");
	for (int i = 0; i < 2; i++)
		end(pid[i]);
	unlink_map(getpid());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(jits__a_child_has_its_parents_code_and_its_own),
		cmocka_unit_test(jits__what_came_after_the_fork_is_the_parents),
		cmocka_unit_test(jits__another_program_has_nothing_of_its_parent),
		cmocka_unit_test(jits__processes_without_files_are_asked_by_one_child),
		cmocka_unit_test(jits__looks_that_are_not_allowed_are_counted_and_made_up_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
