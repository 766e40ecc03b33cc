/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * waits FILE: threads, each in one of the system calls that a signal would interrupt, again and again for a
 * millisecond. FILE counts for each how often it waited, and behind those how often it was interrupted.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/syscall.h>
#include <time.h>
#include "victim.h"

#define KINDS 7

volatile unsigned long sink;
static volatile unsigned long *count;
static const struct timespec millisecond = {0, 1000000};
static int epoll, semaphore, queue;

struct message {
	long type;
};

KNOWN int wait_epoll(void)
{
	struct epoll_event event;

	return epoll_wait(epoll, &event, 1, 1) + (int)(sink - sink);
}

KNOWN int wait_semaphore(void)
{
	struct sembuf down = {0, -1, 0};

	return semtimedop(semaphore, &down, 1, &millisecond) + (int)(sink - sink);
}

KNOWN int wait_message(void)
{
	struct message m;

	return msgrcv(queue, &m, 0, 0, 0) + (int)(sink - sink);
}

KNOWN int wait_sleep(void)
{
	return nanosleep(&millisecond, NULL) + (int)(sink - sink);
}

KNOWN int wait_poll(void)
{
	return poll(NULL, 0, 1) + (int)(sink - sink);
}

KNOWN int wait_signal(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	return sigtimedwait(&set, NULL, &millisecond) + (int)(sink - sink);
}

KNOWN int wait_futex(void)
{
	static int word;

	return syscall(SYS_futex, &word, FUTEX_WAIT, 0, &millisecond, NULL, 0) + (int)(sink - sink);
}

static int (*const kinds[KINDS])(void) = {wait_epoll, wait_semaphore, wait_message, wait_sleep,
					  wait_poll,  wait_signal,    wait_futex};

static void *repeat(void *kind)
{
	for (;;) {
		errno = 0;
		if (kinds[(long)kind]() < 0 && errno == EINTR)
			count[KINDS + (long)kind]++;
		count[(long)kind]++;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int fd = argc > 1 ? open(argv[1], O_RDWR) : -1;
	struct message m = {1};
	pthread_t thread;

	count = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (count == MAP_FAILED || unshare(CLONE_NEWIPC)) /* so that queue and semaphore end with us */
		return 1;
	epoll = epoll_create1(0);
	semaphore = semget(IPC_PRIVATE, 1, 0600);
	queue = msgget(IPC_PRIVATE, 0600);
	if (epoll < 0 || semaphore < 0 || queue < 0)
		return 1;
	for (long kind = 0; kind < KINDS; kind++)
		if (pthread_create(&thread, NULL, repeat, (void *)kind))
			return 1;
	say_ready();
	for (;;) {
		nanosleep(&millisecond, NULL);
		msgsnd(queue, &m, 0, IPC_NOWAIT);
	}
}
