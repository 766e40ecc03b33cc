/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Eight threads that are called t1 to t8; thread t_N is 10 N deep in recurse. */
#include <pthread.h>
#include <stdio.h>
#include "victim.h"

#define THREADS 8

volatile unsigned long sink;

KNOWN void burn(void)
{
	BURN(20000000);
}

KNOWN void recurse(long left)
{
	if (left > 1)
		recurse(left - 1);
	else
		burn();
	sink += left;
}

KNOWN void *work(void *number)
{
	for (;;) {
		recurse(10 * (long)number);
		sink++;
	}
	return NULL;
}

int main(void)
{
	pthread_t thread[THREADS];
	char name[16];

	for (long i = 0; i < THREADS; i++) {
		if (pthread_create(&thread[i], NULL, work, (void *)(i + 1)))
			return 1;
		snprintf(name, sizeof(name), "t%ld", i + 1);
		pthread_setname_np(thread[i], name);
	}
	say_ready();
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
}
