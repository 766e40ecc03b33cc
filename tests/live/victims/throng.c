/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * throng THREADS: as many threads, each below start_thread, join, 1 to 50 times dive, block. Says "ready" when all
 * sleep in block, and sleeps in main itself until it is killed.
 */
#include <pthread.h>
#include <time.h>
#include "victim.h"

#define DEPTHS 50
#define STACK_BYTES (128 << 10) /* PTHREAD_STACK_MIN of arm64 */

volatile unsigned long sink;
static unsigned long nr_away;
static int ends[2];

KNOWN void block(void)
{
	char c;

	__atomic_add_fetch(&nr_away, 1, __ATOMIC_RELAXED);
	while (read(ends[0], &c, 1) < 0)
		;
	sink++;
}

KNOWN void dive(int left)
{
	if (left > 1)
		dive(left - 1);
	else
		block();
	sink++;
}

KNOWN void *join(void *number)
{
	dive(1 + (long)number % DEPTHS);
	sink++;
	return NULL;
}

static void doze(void)
{
	struct timespec t = {0, 100000000};

	nanosleep(&t, NULL);
}

int main(int argc, char **argv)
{
	unsigned long nr = argc > 1 ? atol(argv[1]) : 0;
	pthread_attr_t attr;
	pthread_t thread;

	if (pipe(ends) || pthread_attr_init(&attr) || pthread_attr_setstacksize(&attr, STACK_BYTES))
		return 1;
	for (unsigned long i = 0; i < nr; i++)
		if (pthread_create(&thread, &attr, join, (void *)i))
			return 1;
	while (__atomic_load_n(&nr_away, __ATOMIC_RELAXED) < nr)
		doze();
	doze(); /* the last one is on its way into read() */
	say_ready();
	for (;;)
		pause();
}
