/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * 65,536 stacks, each of which says which one it is: main, walk, and 16 times even or odd, by a number's bits.
 *
 *	paths				burns at the end of each, in no order
 *	paths naps NUMBER TIMES		sleeps at the end of each of the first NUMBER in turn, TIMES times, and ends
 *	paths asks NUMBER TIMES		the same with a system call, getppid(), after it was stopped, and goes on
 */
#include "victim.h"
#include "victim_code.h"
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>

#define NAP_NS 100000

volatile unsigned long sink;
static const char *mode = "";

static inline __attribute__((always_inline)) void end_of_path(void)
{
	struct timespec nap = {0, NAP_NS};

	if (*mode == 'n')
		call(SYS_nanosleep, (long)&nap, NULL, 0);
	else if (*mode == 'a')
		call(SYS_getppid, 0, NULL, 0);
	else
		BURN(20000);
}

KNOWN void even(unsigned path, int left);
KNOWN void odd(unsigned path, int left)
{
	if (left)
		(path & 1 ? odd : even)(path >> 1, left - 1);
	else
		end_of_path();
	sink++;
}

KNOWN void even(unsigned path, int left)
{
	if (left)
		(path & 1 ? odd : even)(path >> 1, left - 1);
	else
		end_of_path();
	sink++;
}

KNOWN void walk(void)
{
	for (unsigned path = 1;; path = path * 1103515245 + 12345)
		(path >> 8 & 1 ? odd : even)(path >> 9, 15);
}

KNOWN void visit(unsigned number, int times)
{
	for (; times; times--)
		for (unsigned path = 0; path < number; path++)
			(path & 1 ? odd : even)(path >> 1, 15);
}

int main(int argc, char **argv)
{
	say_ready();
	if (argc < 4)
		walk();
	mode = argv[1];
	if (*mode == 'a')
		raise(SIGSTOP);
	visit(atoi(argv[2]), atoi(argv[3]));
	return 0;
}
