/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A fixed amount of work on one CPU: how much CPU time does it take?
 *
 *	work CPU ROUNDS
 *
 * Prints its own CPU time, user and system, in microseconds. Interrupts on top of it count as its time, and so does
 * what a profiler makes it do on its way back to user mode.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define WORDS 4096

static unsigned long table[WORDS];

__attribute__((noinline)) static unsigned long descend(unsigned int left, unsigned long x)
{
	unsigned long saved = x ^ left;

	if (left)
		return descend(left - 1, x) + saved;
	for (int i = 0; i < 20000; i++) {
		x = x * 6364136223846793005UL + 1442695040888963407UL;
		table[x >> 52] ^= x;
	}
	return x;
}

int main(int argc, char **argv)
{
	unsigned long x = 1;
	struct timespec t;
	cpu_set_t cpus;

	if (argc != 3)
		return 2;
	CPU_ZERO(&cpus);
	CPU_SET(atoi(argv[1]), &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus)) {
		perror("work: cannot stay on one CPU");
		return 1;
	}
	for (long i = atol(argv[2]); i > 0; i--)
		x += descend(30, x);
	table[0] ^= x;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	printf("%ld\n", t.tv_sec * 1000000L + t.tv_nsec / 1000);
	return table[0] == 1;
}
