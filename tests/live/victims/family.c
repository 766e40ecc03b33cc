/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A process with two threads, "first" and "second"; upon SIGUSR1 it makes another thread, "late", and a child. Each
 * burns in a function of its own name, the child in child_work.
 */
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include "victim.h"

volatile unsigned long sink;
static pthread_barrier_t both;

#define WORK(name)                     \
	KNOWN void name##_work(void)   \
	{                              \
		for (;;)               \
			BURN(1000000); \
	}
WORK(first)
WORK(second)
WORK(late)
WORK(child)

KNOWN void *second(void *arg)
{
	prctl(PR_SET_NAME, "second");
	pthread_barrier_wait(&both);
	second_work();
	return NULL;
}

KNOWN void *late(void *arg)
{
	late_work();
	return NULL;
}

/* Waits for the signal, and burns nothing itself. */
KNOWN void *waiter(void *signals)
{
	pthread_t thread;
	int signal;

	sigwait(signals, &signal);
	if (pthread_create(&thread, NULL, late, NULL))
		exit(1);
	if (!fork()) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		child_work();
	}
	pthread_join(thread, NULL);
	return NULL;
}

int main(void)
{
	pthread_t thread;
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGUSR1);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	pthread_barrier_init(&both, NULL, 2);
	if (pthread_create(&thread, NULL, second, NULL) || pthread_create(&thread, NULL, waiter, &signals))
		return 1;
	pthread_barrier_wait(&both);
	say_ready();
	first_work();
	return 0;
}
