/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * path MODE: main, outer, middle, inner, leaf, and what leaf does there for ever, or for as long as it reads:
 *
 *	spin		burns
 *	getppid		one system call after the other
 *	read		a system call for each byte that comes on standard input; with 0 bytes left, it exits
 *	open		opens and closes a file
 *	touch		page faults one after the other, at the same instruction
 *	write		system calls that sleep many times: more than fits in a pipe that a child reads slowly
 *	signal		sends itself a signal, which on_signal() handles
 *	exec		reads a byte, and then leaf executes the program anew with "read"
 *	thread-exec	the same, in a thread that is not the first
 *	short		threads that do one thing and end, one after the other
 *	threads		eight threads that read, burn and call getppid()
 *	burns		burns in left() and in right(), one after the other, and notes in which of them it is
 *	turns		the same with system calls
 *	faults		the same with page faults
 */
#include "../../live/victims/victim.h"
#include "victim_code.h"
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include "../place.h"

volatile unsigned long sink;
volatile unsigned int place = PLACE_NEITHER;
static char **self;
static char buffer[1 << 20] __attribute__((aligned(4096)));
static int ends[2];

KNOWN void on_signal(int signal)
{
	sink++;
}

static inline __attribute__((always_inline)) void fault(void)
{
	static unsigned long next;

	if (next >= sizeof(buffer)) {
		call(SYS_madvise, (long)buffer, (void *)sizeof(buffer), MADV_DONTNEED);
		next = 0;
	}
	*(volatile char *)&buffer[next] = 1;
	next += 4096;
}

static inline __attribute__((always_inline)) void touch(void)
{
	call(SYS_madvise, (long)buffer, (void *)sizeof(buffer), MADV_DONTNEED);
	for (volatile char *at = buffer; at < buffer + sizeof(buffer); at += 4096)
		*at = 1;
}

static inline __attribute__((always_inline)) void be_at(unsigned int where, const char *mode)
{
	place = where;
	if (*mode == 'b')
		BURN(2000);
	else if (*mode == 'f')
		fault();
	else
		call(SYS_getppid, 0, NULL, 0);
	place = PLACE_NEITHER;
}

KNOWN void left(const char *mode)
{
	be_at(PLACE_LEFT, mode);
	sink++;
}

KNOWN void right(const char *mode)
{
	be_at(PLACE_RIGHT, mode);
	sink++;
}

KNOWN void leaf(const char *mode)
{
	char *const again[] = {self[0], "read", NULL};
	char byte;

	while (!strcmp(mode, "burns") || !strcmp(mode, "turns") || !strcmp(mode, "faults")) {
		left(mode);
		sink++;
		right(mode);
	}
	if (!strcmp(mode, "spin"))
		BURN(2000000);
	if (!strcmp(mode, "getppid"))
		call(SYS_getppid, 0, NULL, 0);
	if (!strcmp(mode, "touch"))
		touch();
	if (!strcmp(mode, "signal"))
		call(SYS_tgkill, call(SYS_getpid, 0, NULL, 0), (void *)call(SYS_gettid, 0, NULL, 0), SIGUSR1);
	if (!strcmp(mode, "open"))
		call(SYS_close, call(SYS_open, (long)"/dev/null", NULL, 0), NULL, 0);
	if (!strcmp(mode, "write"))
		call(SYS_write, ends[1], buffer, sizeof(buffer));
	if (!strcmp(mode, "read") && call(SYS_read, 0, &byte, 1) != 1)
		call(SYS_exit_group, 0, NULL, 0);
	if (strstr(mode, "exec") && call(SYS_read, 0, &byte, 1) == 1)
		call(SYS_execve, (long)self[0], again, 0);
	sink++;
}

KNOWN void inner(const char *mode)
{
	leaf(mode);
	sink++;
}

KNOWN void middle(const char *mode)
{
	inner(mode);
	sink++;
}

KNOWN void outer(const char *mode)
{
	for (;;) {
		middle(mode);
		sink++;
	}
}

static void *run_outer(void *mode)
{
	outer(mode);
	return NULL;
}

static void read_slowly(void)
{
	struct timespec pause = {0, 200000};
	char some[4096];

	close(ends[1]);
	while (read(ends[0], some, sizeof(some)) > 0)
		nanosleep(&pause, NULL);
	_exit(0);
}

static void *mixed(void *arg)
{
	for (long i = 0;; i++)
		leaf(i % 64 ? "getppid" : "spin");
	return arg;
}

static void *once(void *arg)
{
	leaf("getppid");
	return arg;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "spin";
	pthread_t thread;

	self = argv;
	signal(SIGUSR1, on_signal);
	if (!strcmp(mode, "write") && !pipe(ends) && !fork())
		read_slowly();
	say_ready();
	if (!strcmp(mode, "threads"))
		for (int i = 0; i < 8; i++)
			pthread_create(&thread, NULL, mixed, NULL);
	while (!strcmp(mode, "short"))
		if (!pthread_create(&thread, NULL, once, NULL))
			pthread_join(thread, NULL);
	if (!strcmp(mode, "thread-exec") && !pthread_create(&thread, NULL, run_outer, (void *)mode))
		for (;;)
			pause();
	outer(mode);
	return 0;
}
