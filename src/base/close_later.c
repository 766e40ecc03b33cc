/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "base/close_later.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int by_number(const void *a, const void *b)
{
	return *(const int *)a < *(const int *)b ? -1 : *(const int *)a > *(const int *)b;
}

static void close_between(unsigned int first, unsigned int end)
{
	if (first < end)
		syscall(SYS_close_range, first, end - 1, 0);
}

/* Between fork() and here there may be any lock of other threads of ours, so that only system calls are made. */
static void keep_until_closed(const int *fds, size_t nr, int gate)
{
	unsigned int next = STDIN_FILENO + 1;
	char none;

	if (chdir("/") || dup2(gate, STDIN_FILENO) < 0)
		_exit(1);
	for (size_t i = 0; i < nr; i++) {
		close_between(next, fds[i]);
		next = fds[i] + 1;
	}
	close_between(next, UINT_MAX);
	while (read(STDIN_FILENO, &none, 1) < 0 && errno == EINTR)
		;
	_exit(0); /* which closes them, once our memory is given back */
}

/* As fork(), but no signal says that the child has ended, which the program that we are a part of may not expect. */
static pid_t fork_silently(void)
{
	return syscall(SYS_clone, 0UL, NULL, NULL, NULL, NULL);
}

/* Return a descriptor that the process waits for us to close, or -1. */
static int hand_over(const int *fds, size_t nr)
{
	int gate[2];
	pid_t pid;

	if (pipe2(gate, O_CLOEXEC))
		return -1;
	pid = fork_silently();
	if (!pid && !fork_silently())
		keep_until_closed(fds, nr, gate[0]);
	if (!pid)
		_exit(0); /* init waits for the other one */
	close(gate[0]);
	if (pid > 0) {
		waitpid(pid, NULL, __WALL);
		return gate[1];
	}
	close(gate[1]);
	return -1;
}

void close_later(int *fds, size_t nr)
{
	int gate;

	if (!nr)
		return;
	qsort(fds, nr, sizeof(*fds), by_number);
	gate = hand_over(fds, nr);
	for (size_t i = 0; i < nr; i++)
		close(fds[i]); /* not the last one of its kind, so this takes no time */
	if (gate >= 0)
		close(gate);
}
