/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* crowd N: so many threads, all waiting for ever in wait, below 20 times descend. */
#include <poll.h>
#include <pthread.h>
#include "victim.h"

#define STACK_BYTES (128 << 10) /* PTHREAD_STACK_MIN of arm64 */

volatile unsigned long sink;

KNOWN void wait(void)
{
	sink += poll(NULL, 0, -1);
}

KNOWN void descend(int left)
{
	if (left > 1)
		descend(left - 1);
	else
		wait();
	sink++;
}

KNOWN void *begin(void *arg)
{
	descend(20);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_attr_t small;
	pthread_t thread;

	if (pthread_attr_init(&small) || pthread_attr_setstacksize(&small, STACK_BYTES))
		return 1;
	for (int left = argc > 1 ? atoi(argv[1]) : 1; left; left--)
		if (pthread_create(&thread, &small, begin, NULL))
			return 1;
	say_ready();
	pause();
}
