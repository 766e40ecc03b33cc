/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * calls [no-jump]: all ways in which C calls and comes back, each once, or without longjmp(): a program for single-stepping.
 */
#include <alloca.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FN __attribute__((noipa))

static volatile long sink;
static jmp_buf back;

FN static long leaf(const char *p)
{
	return p[1] + sink;
}

FN static long tail(long n)
{
	return n > 0 ? tail(n - 1) : leaf("tail");
}

FN static long recurse(long n)
{
	char room[32];

	snprintf(room, sizeof(room), "%ld", n);
	return (n ? recurse(n - 1) : leaf(room)) + strlen(room);
}

FN static long on_stack(long n)
{
	char *room = alloca(n);

	memset(room, n, n);
	return leaf(room);
}

FN static long realigned(long n)
{
	char room[64] __attribute__((aligned(64)));

	memset(room, n, sizeof(room));
	return leaf(room) + on_stack(n);
}

FN static long many(int n, ...)
{
	va_list args;
	long sum = 0;

	va_start(args, n);
	while (n--)
		sum += va_arg(args, int);
	va_end(args);
	return sum;
}

FN static long chosen(int n)
{
	switch (n) {
	case 0: return leaf("zero");
	case 1: return leaf("one") + 1;
	case 2: return many(3, 1, 2, 3);
	case 3: return tail(2);
	case 4: return realigned(100) * 2;
	default: return 0;
	}
}

FN static void jump(int n)
{
	if (n)
		jump(n - 1);
	else
		longjmp(back, 1);
	sink++;
}

FN static int compare(const void *a, const void *b)
{
	sink += recurse(1);
	return *(const int *)a - *(const int *)b;
}

FN static long of_kernel(void)
{
	struct timespec now;
	int status;
	pid_t pid;

	clock_gettime(CLOCK_MONOTONIC, &now);
	pid = vfork();
	if (!pid)
		_exit(0);
	waitpid(pid, &status, 0);
	return now.tv_nsec + time(NULL);
}

static void at_end(void)
{
	sink += recurse(1);
}

int main(int argc, char **argv)
{
	int numbers[4] = {4, 2, 3, 1};

	atexit(at_end);
	qsort(numbers, 4, sizeof(numbers[0]), compare);
	for (int i = 0; i < 6; i++)
		sink += chosen(i);
	if (argc == 1 && !setjmp(back))
		jump(3);
	sink += of_kernel();
	return 0;
}
