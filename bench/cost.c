/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What does a command cost? usage: cost FILE KEY PATIENCE COMMAND [ARGUMENT]...
 *
 * Runs it for at most PATIENCE seconds, without its output, and appends to FILE "KEY seconds", of wall-clock time,
 * "KEY-cpu seconds", of CPU time with that of its children, and "KEY-mb megabytes", the most memory that it or a
 * child of it had at once. The exit status is 1 if it failed, and 3 if it took too long.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pid_t child;

static void give_up(int signal)
{
	(void)signal;
	kill(-child, SIGKILL);
}

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void run(char **command)
{
	int null = open("/dev/null", O_RDWR);

	setpgid(0, 0);
	for (int fd = 0; fd <= 2; fd++)
		dup2(null, fd);
	execvp(command[0], command);
	_exit(127);
}

static double seconds(struct timeval t)
{
	return t.tv_sec + t.tv_usec / 1e6;
}

int main(int argc, char **argv)
{
	double start = now_s();
	struct rusage usage;
	int status;
	FILE *out;

	if (argc < 5)
		return 2;
	child = fork();
	if (!child)
		run(argv + 4);
	setpgid(child, child);
	signal(SIGALRM, give_up);
	alarm(atoi(argv[3]));
	if (child < 0 || wait4(child, &status, 0, &usage) != child)
		return 1;
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
		return 3;
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		return 1;
	out = fopen(argv[1], "a");
	if (!out)
		return 1;
	fprintf(out, "%s %.3f\n", argv[2], now_s() - start);
	fprintf(out, "%s-cpu %.3f\n", argv[2], seconds(usage.ru_utime) + seconds(usage.ru_stime));
	fprintf(out, "%s-mb %.0f\n", argv[2], usage.ru_maxrss * 1024 / 1e6);
	return fclose(out) ? 1 : 0;
}
