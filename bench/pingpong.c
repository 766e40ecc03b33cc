/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Two processes on one CPU that wake each other by pipes: how many switches a second?
 *
 *	pingpong DEPTH SECONDS [CPU]
 *
 * Each passes a byte on from below DEPTH calls. Prints the switches a second of both together, and how many there were
 *in all, as the kernel counted them. CPU: the last one, if not said; -1: any.
 */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t over;
static volatile unsigned long sink;

static void stop(int sig)
{
	over = 1;
}

__attribute__((noinline)) static unsigned long pass(int from, int to)
{
	unsigned long n = 0;
	char c = 0;

	while (!over && write(to, &c, 1) == 1 && read(from, &c, 1) == 1)
		n++;
	return n;
}

__attribute__((noinline)) static unsigned long descend(unsigned int left, int from, int to)
{
	unsigned long saved[2] = {from ^ left, left}, n;

	n = left ? descend(left - 1, from, to) : pass(from, to);
	sink = saved[0] + saved[1];
	return n;
}

static void stay_on(int cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus)) {
		perror("pingpong: cannot stay on one CPU");
		exit(1);
	}
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static long switches_of(int who)
{
	struct rusage usage;

	getrusage(who, &usage);
	return usage.ru_nvcsw + usage.ru_nivcsw;
}

int main(int argc, char **argv)
{
	int there[2], back[2], cpu = argc > 3 ? atoi(argv[3]) : sysconf(_SC_NPROCESSORS_ONLN) - 1;
	double begin, seconds;
	pid_t child;

	if (argc < 3 || pipe(there) || pipe(back))
		return 2;
	if (cpu >= 0)
		stay_on(cpu);
	signal(SIGALRM, stop);
	child = fork();
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(there[1]);
		descend(atoi(argv[1]), there[0], back[1]);
		return 0;
	}
	alarm(atoi(argv[2]));
	begin = now();
	descend(atoi(argv[1]), back[0], there[1]);
	seconds = now() - begin;
	close(there[1]);
	waitpid(child, NULL, 0);
	printf("%.0f %ld\n", (switches_of(RUSAGE_SELF) + switches_of(RUSAGE_CHILDREN)) / seconds,
	       switches_of(RUSAGE_SELF) + switches_of(RUSAGE_CHILDREN));
	return 0;
}
