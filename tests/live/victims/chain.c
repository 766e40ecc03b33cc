/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * chain ROUNDS: three threads, each named and rooted in a function of its own. a_begins sleeps, and in a_wakes_b wakes
 * the one that waits in b_waits; that one in b_wakes_c wakes the one that waits in c_waits. Nobody wakes before both
 * wait, however busy the machine is.
 */
#include <linux/futex.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include "victim.h"

#define NAP_NS 3000000

volatile unsigned long sink;
static unsigned int word_of_b, word_of_c;
static int b_is_at, c_is_at; /* the round that it waits for, or will in a moment */
static int rounds;

/* Static to whoever calls: what is waited and woken by are those functions themselves. */
#define WAIT(word, old)                                          \
	while (__atomic_load_n(word, __ATOMIC_ACQUIRE) == (old)) \
	syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, old, NULL, NULL, 0)
#define WAKE(word)                                                              \
	do {                                                                    \
		__atomic_add_fetch(word, 1, __ATOMIC_RELEASE);                  \
		syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0); \
	} while (0)

KNOWN void b_waits(unsigned int round)
{
	WAIT(&word_of_b, round);
	sink++;
}

KNOWN void c_waits(unsigned int round)
{
	WAIT(&word_of_c, round);
	sink++;
}

KNOWN void a_wakes_b(void)
{
	WAKE(&word_of_b);
	sink++;
}

KNOWN void b_wakes_c(void)
{
	WAKE(&word_of_c);
	sink++;
}

KNOWN void *a_begins(void *arg)
{
	struct timespec t = {0, NAP_NS};

	prctl(PR_SET_NAME, "a");
	for (int i = 0; i < rounds; i++) {
		while (__atomic_load_n(&b_is_at, __ATOMIC_ACQUIRE) < i ||
		       __atomic_load_n(&c_is_at, __ATOMIC_ACQUIRE) < i)
			nanosleep(&t, NULL);
		nanosleep(&t, NULL);
		a_wakes_b();
	}
	return NULL;
}

KNOWN void *b_passes(void *arg)
{
	prctl(PR_SET_NAME, "b");
	for (int i = 0; i < rounds; i++) {
		__atomic_store_n(&b_is_at, i, __ATOMIC_RELEASE);
		b_waits(i);
		b_wakes_c();
	}
	return NULL;
}

KNOWN void *c_ends(void *arg)
{
	prctl(PR_SET_NAME, "c");
	for (int i = 0; i < rounds; i++) {
		__atomic_store_n(&c_is_at, i, __ATOMIC_RELEASE);
		c_waits(i);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	void *(*const roots[])(void *) = {c_ends, b_passes, a_begins};
	pthread_t threads[3];

	rounds = argc > 1 ? atoi(argv[1]) : 100;
	for (int i = 0; i < 3; i++)
		if (pthread_create(&threads[i], NULL, roots[i], NULL))
			return 1;
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
