/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Processes that live two milliseconds: storm [COUNT].
 *
 * Starts itself anew COUNT times (without COUNT: until it is killed), one after the other: each is an execve(), the
 * dynamic linker, two milliseconds of work, an exit.
 */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#define LIFE_NS 2000000

extern char **environ;

__attribute__((noinline)) static long descend(int left)
{
	volatile long ret = left;
	struct timespec t = {0};

	if (left)
		return ret + descend(left - 1);
	while (t.tv_sec * 1000000000L + t.tv_nsec < LIFE_NS) {
		for (int i = 0; i < 1000; i++)
			ret += i;
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	}
	return ret;
}

int main(int argc, char **argv)
{
	char word[] = "child", *child[] = {argv[0], word, NULL};
	long count = argc > 1 ? atol(argv[1]) : -1;
	pid_t pid;

	if (argc > 1 && !strcmp(argv[1], "child"))
		return descend(20) == 1;
	for (; count; count--) {
		if (posix_spawn(&pid, argv[0], NULL, NULL, child, environ)) {
			perror("storm: cannot start a process");
			return 1;
		}
		waitpid(pid, NULL, 0);
	}
	return 0;
}
