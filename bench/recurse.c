/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A victim whose stack has a known depth: what does a frame cost?
 *
 *	recurse DEPTH SECONDS [libc]
 *
 * Burns the CPU at the bottom of DEPTH calls. With "libc", each level is a sort that compares by going one level
 * deeper, so that most frames are the C library's.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t over;
static volatile unsigned long sink;
static unsigned int depth;

static void stop(int sig)
{
	over = 1;
}

__attribute__((noinline)) static unsigned long burn(unsigned long x)
{
	while (!over)
		x = x * 6364136223846793005UL + 1;
	return x;
}

__attribute__((noinline)) static unsigned long descend(unsigned int left, unsigned long x)
{
	unsigned long saved[2] = {x ^ left, left};

	x = left ? descend(left - 1, x + 1) : burn(x);
	sink = saved[0];
	return x + saved[1];
}

static int compare(const void *a, const void *b)
{
	int pair[2] = {2, 1};

	if (over)
		return 0;
	if (--depth)
		qsort(pair, 2, sizeof(pair[0]), compare);
	else
		sink = burn(pair[0]);
	return pair[0] - pair[1];
}

int main(int argc, char **argv)
{
	int pair[2] = {2, 1};

	if (argc < 3)
		return 2;
	depth = atoi(argv[1]);
	signal(SIGALRM, stop);
	alarm(atoi(argv[2]));
	if (argc > 3 && !strcmp(argv[3], "libc"))
		qsort(pair, 2, sizeof(pair[0]), compare);
	else
		sink = descend(depth, 1);
	return 0;
}
