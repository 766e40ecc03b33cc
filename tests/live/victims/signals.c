/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * signals own|alternate: a timer signal each millisecond interrupts work, which is 20 frames deep. The handler runs on
 * the thread's own stack, or on an alternate one.
 */
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include "victim.h"

volatile unsigned long sink;

KNOWN void handle(int signal)
{
	BURN(600000);
}

KNOWN void work(long left)
{
	if (left > 1)
		work(left - 1);
	else
		BURN(200000);
	sink += left;
}

int main(int argc, char **argv)
{
	struct itimerval each_millisecond = {{0, 1000}, {0, 1000}};
	int alternate = argc > 1 && !strcmp(argv[1], "alternate");
	struct sigaction act = {.sa_handler = handle, .sa_flags = SA_RESTART | (alternate ? SA_ONSTACK : 0)};
	stack_t stack = {.ss_size = 1 << 18};

	stack.ss_sp = malloc(stack.ss_size);
	if (!stack.ss_sp || sigaltstack(&stack, NULL) || sigaction(SIGALRM, &act, NULL))
		return 1;
	say_ready();
	if (setitimer(ITIMER_REAL, &each_millisecond, NULL))
		return 1;
	for (;;)
		work(20);
}
