/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * System calls that do nothing, on one CPU: how many a second?
 *
 *	syscalls SECONDS
 */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile sig_atomic_t over;

static void stop(int sig)
{
	over = 1;
}

int main(int argc, char **argv)
{
	unsigned long n = 0;
	cpu_set_t cpus;

	if (argc < 2)
		return 2;
	CPU_ZERO(&cpus);
	CPU_SET(sysconf(_SC_NPROCESSORS_ONLN) - 1, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus)) {
		perror("syscalls: cannot stay on one CPU");
		return 1;
	}
	signal(SIGALRM, stop);
	alarm(atoi(argv[1]));
	for (; !over; n++)
		syscall(SYS_getppid);
	printf("%lu\n", n / atoi(argv[1]));
	return 0;
}
