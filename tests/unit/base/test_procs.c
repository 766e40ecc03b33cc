/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Are the processes found that a process has created, and so on? */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/procs.h"

static void a_process_with_its_descendants_and_no_others(void **state)
{
	struct pids pids = {0};
	pid_t child, grandchild, other;
	int ready[2];

	(void)state;
	assert_int_equal(pipe(ready), 0);
	other = fork();
	if (!other)
		for (;;)
			pause();
	child = fork();
	if (!child) {
		grandchild = fork();
		if (!grandchild) {
			grandchild = getpid();
			prctl(PR_SET_NAME, ") R 1 (", 0, 0, 0); /* its name must not be taken for its parent */
			assert_int_equal(write(ready[1], &grandchild, sizeof(grandchild)), sizeof(grandchild));
		}
		for (;;)
			pause();
	}
	assert_int_equal(read(ready[0], &grandchild, sizeof(grandchild)), sizeof(grandchild));
	assert_int_equal(vec_push(&pids, child), 0);
	assert_int_equal(procs_add_children(&pids), 0);
	assert_int_equal(pids.nr, 2);
	assert_int_equal(pids.v[0], child);
	assert_int_equal(pids.v[1], grandchild);
	assert_int_equal(procs_add_children(&pids), 0); /* nothing is added twice */
	assert_int_equal(pids.nr, 2);
	vec_done(&pids);
	kill(grandchild, SIGKILL);
	kill(child, SIGKILL);
	kill(other, SIGKILL);
	while (wait(NULL) > 0)
		;
}

static void *tell(void *arg)
{
	*(pid_t *)arg = procs_of_thread(gettid());
	return NULL;
}

static void a_thread_belongs_to_its_process(void **state)
{
	pid_t process = 0;
	pthread_t thread;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, tell, &process), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(process, getpid());
	assert_int_equal(procs_of_thread(getpid()), getpid());
	assert_int_equal(procs_of_thread(4194304), -ESRCH);
}

static void a_process_that_has_ended_has_no_memory(void **state)
{
	pid_t child = fork();
	siginfo_t info;

	(void)state;
	if (!child)
		_exit(0);
	assert_true(procs_has_memory(getpid()));
	assert_int_equal(waitid(P_PID, child, &info, WEXITED | WNOWAIT), 0);
	assert_false(procs_has_memory(child)); /* it is a zombie */
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_false(procs_has_memory(child));
	assert_false(procs_has_memory(2)); /* kthreadd, or nobody */
}

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static void the_threads_of_a_cgroup_and_of_those_below(void **state)
{
	char top[] = "/tmp/dusk-procs-XXXXXX", below[64], path[96];
	struct pids tids = {0};

	(void)state;
	assert_non_null(mkdtemp(top));
	snprintf(below, sizeof(below), "%s/below", top);
	assert_int_equal(mkdir(below, 0700), 0);
	assert_int_equal(procs_add_cgroup(&tids, top), 0); /* a cgroup that is being removed has no files */
	assert_int_equal(tids.nr, 0);
	snprintf(path, sizeof(path), "%s/cgroup.threads", below);
	write_file(path, "12\n13\n");
	snprintf(path, sizeof(path), "%s/cgroup.threads", top);
	write_file(path, "11\n");
	assert_int_equal(procs_add_cgroup(&tids, top), 0);
	assert_int_equal(tids.nr, 3);
	assert_int_equal(tids.v[0], 11);
	assert_int_equal(tids.v[1], 12);
	assert_int_equal(tids.v[2], 13);
	vec_done(&tids);
	unlink(path);
	snprintf(path, sizeof(path), "%s/cgroup.threads", below);
	unlink(path);
	rmdir(below);
	rmdir(top);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_process_with_its_descendants_and_no_others),
		cmocka_unit_test(a_thread_belongs_to_its_process),
		cmocka_unit_test(a_process_that_has_ended_has_no_memory),
		cmocka_unit_test(the_threads_of_a_cgroup_and_of_those_below),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
