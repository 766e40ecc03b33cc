/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Are the processes found that a process has created, and so on? */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <sys/prctl.h>
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_process_with_its_descendants_and_no_others),
		cmocka_unit_test(a_thread_belongs_to_its_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
