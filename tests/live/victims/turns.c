/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Two threads that take turns as fast as the machine lets them: each wakes the other by a pipe, and waits for it, below
 * frames of its own. Both on one CPU, so that each turn is a switch.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include "victim.h"

#define DEPTH 10

volatile unsigned long sink;
static int there[2], back[2];

KNOWN void take_turns(int from, int to)
{
	char c = 0;

	for (;;) {
		if (write(to, &c, 1) != 1 || read(from, &c, 1) != 1)
			exit(1);
		sink++;
	}
}

KNOWN void dive(int left, int from, int to)
{
	if (left > 1)
		dive(left - 1, from, to);
	else
		take_turns(from, to);
	sink++;
}

KNOWN void *other(void *arg)
{
	dive(DEPTH, there[0], back[1]);
	return NULL;
}

int main(void)
{
	pthread_t thread;
	cpu_set_t first;

	CPU_ZERO(&first);
	CPU_SET(sched_getcpu(), &first);
	if (sched_setaffinity(0, sizeof(first), &first) || pipe(there) || pipe(back) ||
	    pthread_create(&thread, NULL, other, NULL))
		return 1;
	say_ready();
	dive(DEPTH, back[0], there[1]);
	return 0;
}
