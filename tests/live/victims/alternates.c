/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * alternates: four threads that sleep shortly, now below 8 times left, in nanosleep(), now below 3 times right, in
 * poll(). The two have nothing in common but what is outside of them.
 */
#include <poll.h>
#include <pthread.h>
#include <time.h>
#include "victim.h"

#define THREADS 4

volatile unsigned long sink;

KNOWN void left(int times)
{
	volatile char room[300];

	__asm__ volatile("" : : "r"(room) : "memory"); /* or clang leaves room for one byte */
	room[0] = times;
	if (times > 1)
		left(times - 1);
	else
		sink += nanosleep(&(struct timespec){0, 50000}, NULL);
	sink += room[0];
}

KNOWN void right(int times)
{
	volatile char room[700];

	__asm__ volatile("" : : "r"(room) : "memory"); /* or clang leaves room for one byte */
	room[0] = times;
	if (times > 1)
		right(times - 1);
	else
		sink += poll(NULL, 0, 1);
	sink += room[0];
}

KNOWN void *work(void *arg)
{
	for (;;) {
		left(8);
		sink++;
		right(3);
		sink++;
	}
	return NULL;
}

int main(void)
{
	pthread_t thread;

	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&thread, NULL, work, NULL))
			return 1;
	say_ready();
	for (;;)
		pause();
}
