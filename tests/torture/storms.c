/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Threads and processes that come and go: does what was asked of one ever reach another? */
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include "victim.h"

#define THREADS 4
#define STACK_BYTES (1 << 17)
#define BATCH 8
#define SHORT_LIFE 8 /* paths */
#define PIDS 4
#define FEW_PIDS "310" /* what a PID namespace may have at least is 301, and 8 for each CPU */

void scenario_plain(void)
{
	pthread_t thread[THREADS];

	for (int i = 0; i < THREADS; i++)
		thread[i] = start_thread(USUAL, -1, NULL, STACK_BYTES);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
}

void scenario_threads(void)
{
	pthread_t thread[BATCH];

	while (!time_is_up()) {
		for (int i = 0; i < BATCH; i++)
			thread[i] = start_thread(USUAL, dice(SHORT_LIFE), NULL, STACK_BYTES);
		for (int i = 0; i < BATCH; i++)
			pthread_join(thread[i], NULL);
	}
}

static void fork_storm(void)
{
	while (!time_is_up()) {
		for (int i = 0; i < BATCH; i++)
			start_worker(USUAL, dice(SHORT_LIFE));
		while (wait(NULL) > 0 || errno == EINTR)
			;
	}
}

void scenario_forks(void)
{
	fork_storm();
}

/* fork(), with a PID that was just given back. -1: somebody else has it. */
static pid_t fork_as(pid_t pid)
{
	struct clone_args args = {.exit_signal = SIGCHLD, .set_tid = (uintptr_t)&pid, .set_tid_size = 1};
	pid_t child = syscall(SYS_clone3, &args, sizeof(args));

	if (child)
		return child;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	place_init();
	truth_note(TRUTH_BIRTH, place.pid);
	run_some(USUAL, 1 + dice(SHORT_LIFE));
	truth_note(TRUTH_DOOM, place.pid);
	_exit(0);
}

void scenario_pids(void)
{
	pid_t child[PIDS];

	for (int i = 0; i < PIDS; i++)
		child[i] = start_worker(USUAL, 1);
	while (!time_is_up()) {
		int i = dice(PIDS);
		pid_t pid;

		if (waitpid(child[i], NULL, 0) < 0)
			cannot("wait");
		pid = fork_as(child[i]);
		if (pid < 0 && errno != EEXIST)
			cannot("choose a PID (clone3)");
		child[i] = pid < 0 ? start_worker(USUAL, 1) : pid;
	}
	while (wait(NULL) > 0)
		;
}

/* A process that is the first in its PID namespace, and its many children. */
static pid_t start_namespace(int flags, bool few_pids)
{
	pid_t outside = fork(), inside;

	if (outside)
		return outside;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (unshare(flags))
		cannot("make a PID namespace");
	inside = fork();
	if (inside) {
		waitpid(inside, NULL, 0);
		_exit(0);
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	place_init();
	if (few_pids && write_file("/proc/sys/kernel/pid_max", FEW_PIDS))
		write_file("/proc/sys/kernel/pid_max", "4096");
	fork_storm();
	_exit(0);
}

/* Since 6.14 each PID namespace has its own pid_max; should it be the machine's after all, it is given back. */
void scenario_namespaces(void)
{
	char before[32] = "", after[32] = "";
	int fd = open("/proc/sys/kernel/pid_max", O_RDONLY | O_CLOEXEC);
	pid_t child[2];

	if (fd < 0 || read(fd, before, sizeof(before) - 1) <= 0)
		cannot("read pid_max");
	child[0] = start_namespace(CLONE_NEWPID, true);
	child[1] = start_namespace(CLONE_NEWUSER | CLONE_NEWPID, false);
	for (int i = 0; i < 2; i++)
		waitpid(child[i], NULL, 0);
	if (pread(fd, after, sizeof(after) - 1, 0) > 0 && strcmp(before, after))
		write_file("/proc/sys/kernel/pid_max", before);
	close(fd);
}

KNOWN void replace(void)
{
	struct truth_entry *e = truth_begin();
	char deadline[32];

	burn_cycles(dice(30000));
	snprintf(deadline, sizeof(deadline), "%llu@", (unsigned long long)deadline_ns);
	if (dice(2))
		personality(dice(2) ? ADDR_NO_RANDOMIZE : 0);
	truth_end(e);
	truth_note(TRUTH_DOOM, place.pid);
	execl(arguments[0], arguments[0], arguments[1], arguments[2], deadline, "image", NULL);
	_exit(1);
}

/* Some paths, and the next image; by a thread of ours every third time. */
static void be_image(void)
{
	bool by_thread = dice(3) == 0;

	run_some(USUAL, 1 + dice(SHORT_LIFE));
	if (time_is_up())
		return;
	if (by_thread)
		start_thread(ANY(replace), -1, NULL, STACK_BYTES);
	run_some(by_thread ? USUAL : ANY(replace), -1);
}

void scenario_execs(void)
{
	if (arguments[4]) {
		be_image();
		return;
	}
	for (int i = 0; i < THREADS; i++)
		start_worker(ANY(replace), -1);
	while (wait(NULL) > 0 || errno == EINTR)
		;
}
