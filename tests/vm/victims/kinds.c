/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kinds COUNT: make COUNT processes, several at a time, each with a second thread. What a thread does stands in its
 * name: while it is called k2, it is in as_k2() or comes from there; a thread of another name never is.
 */
#include <pthread.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include "../../live/victims/victim.h"

#define AT_ONCE 6

volatile unsigned long sink;

#define KIND(name, depth)                   \
	KNOWN void name(int left)           \
	{                                   \
		if (left > 1)               \
			name(left - 1);     \
		else                        \
			BURN(100000);       \
		sink++;                     \
	}                                   \
	KNOWN void as_##name(void)          \
	{                                   \
		prctl(PR_SET_NAME, #name);  \
		name(depth);                \
		prctl(PR_SET_NAME, "done"); \
		sink++;                     \
	}
KIND(k0, 5)
KIND(k1, 10)
KIND(k2, 15)
KIND(k3, 20)

static void (*const kinds[4])(void) = {as_k0, as_k1, as_k2, as_k3};

KNOWN void *thread(void *number)
{
	kinds[(uintptr_t)number % 4]();
	return NULL;
}

KNOWN void child(int number)
{
	pthread_t second;

	if (pthread_create(&second, NULL, thread, (void *)(uintptr_t)(number / 4)))
		_exit(1);
	kinds[number % 4]();
	if (number % 3) /* else it is killed with the process */
		pthread_join(second, NULL);
	_exit(0);
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 1, status;

	for (int i = 0; i < count + AT_ONCE; i++) {
		if (i >= AT_ONCE && (wait(&status) < 0 || status))
			return 1;
		if (i < count) {
			pid_t pid = fork();

			if (!pid)
				child(i);
			if (pid < 0)
				return 1;
		}
	}
	return 0;
}
