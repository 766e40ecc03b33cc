/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * blocked THREADS: so many threads, each of which works in poll() for a while, over many entries that are nothing, and
 * then sleeps in it. Upon SIGTERM all of them wake up; when all have come back to user mode, it exits with status 0.
 */
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include "../../live/victims/victim.h"

#define ENTRIES 30000
#define STACK_BYTES (64 << 10)

volatile unsigned long sink;
static struct pollfd entries[ENTRIES];
static unsigned long begun, back;

KNOWN void *sleeper(void *arg)
{
	__atomic_add_fetch(&begun, 1, __ATOMIC_SEQ_CST);
	if (poll(entries, ENTRIES, -1) == 1)
		__atomic_add_fetch(&back, 1, __ATOMIC_SEQ_CST);
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned long threads = argc > 1 ? atol(argv[1]) : 1;
	struct rlimit limit = {ENTRIES, ENTRIES};
	pthread_t *thread = calloc(threads, sizeof(*thread));
	pthread_attr_t attr;
	sigset_t signals;
	int ends[2], signal;

	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &signals, NULL);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	if (setrlimit(RLIMIT_NOFILE, &limit) || pipe(ends))
		return 1;
	for (int i = 0; i < ENTRIES; i++)
		entries[i].fd = -1;
	entries[ENTRIES - 1] = (struct pollfd){.fd = ends[0], .events = POLLIN};
	for (unsigned long i = 0; i < threads; i++)
		if (pthread_create(&thread[i], &attr, sleeper, NULL))
			return 1;
	while (__atomic_load_n(&begun, __ATOMIC_SEQ_CST) < threads)
		usleep(10000);
	say_ready();
	sigwait(&signals, &signal);
	if (write(ends[1], "", 1) != 1)
		return 1;
	for (unsigned long i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	return back == threads ? 0 : 2;
}
