/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * loopback ROUNDS: the thread "sender" naps, and in sends wakes the one that waits in receives, in a softirq that it
 * runs itself. It does not send before that one waits, however busy the machine is.
 */
#include <arpa/inet.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <time.h>
#include "victim.h"

#define NAP_NS 3000000

volatile unsigned long sink;
static struct sockaddr_in to = {.sin_family = AF_INET};
static int fd, rounds;
static int receiver_is_at; /* the round that it waits for, or will in a moment */

KNOWN void receives(char *data)
{
	if (recv(fd, data, 1, 0) != 1)
		exit(1);
	sink++;
}

KNOWN void sends(char *data)
{
	if (sendto(fd, data, 1, 0, (struct sockaddr *)&to, sizeof(to)) != 1)
		exit(1);
	sink++;
}

KNOWN void *receiver(void *arg)
{
	char data;

	prctl(PR_SET_NAME, "receiver");
	for (int i = 0; i < rounds; i++) {
		__atomic_store_n(&receiver_is_at, i, __ATOMIC_RELEASE);
		receives(&data);
	}
	return NULL;
}

KNOWN void *sender(void *arg)
{
	struct timespec t = {0, NAP_NS};
	char data = 0;

	prctl(PR_SET_NAME, "sender");
	for (int i = 0; i < rounds; i++) {
		while (__atomic_load_n(&receiver_is_at, __ATOMIC_ACQUIRE) < i)
			nanosleep(&t, NULL);
		nanosleep(&t, NULL);
		sends(&data);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	void *(*const roots[])(void *) = {receiver, sender};
	socklen_t len = sizeof(to);
	pthread_t threads[2];

	rounds = argc > 1 ? atoi(argv[1]) : 100;
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	fd = socket(AF_INET, SOCK_DGRAM, 0);
	if (bind(fd, (struct sockaddr *)&to, len) || getsockname(fd, (struct sockaddr *)&to, &len))
		return 1;
	for (int i = 0; i < 2; i++)
		if (pthread_create(&threads[i], NULL, roots[i], NULL))
			return 1;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
