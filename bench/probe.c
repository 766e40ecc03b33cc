/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * probe DEPTH CALLS: what does a call of probed() cost the thread, 1 us or so more if it has a uprobe? It is called by as many
 * functions; prints nanoseconds of CPU time a call, loop included.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

volatile unsigned long sink;

#define KNOWN __attribute__((noinline, noclone))

KNOWN void probed(unsigned long size);
KNOWN void probed(unsigned long size)
{
	sink += size;
}

KNOWN static void descend(int left, unsigned long size)
{
	if (left)
		descend(left - 1, size);
	else
		probed(size);
	sink++;
}

static double cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

int main(int argc, char **argv)
{
	int depth = argc > 1 ? atoi(argv[1]) : 8;
	long calls = argc > 2 ? atol(argv[2]) : 100000;
	double begin;

	for (long i = 0; i < 1000; i++) /* what comes first is not what is measured */
		descend(depth, i);
	begin = cpu_ns();
	for (long i = 0; i < calls; i++)
		descend(depth, i);
	printf("%.1f\n", (cpu_ns() - begin) / calls);
	return 0;
}
