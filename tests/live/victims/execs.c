/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* PATH/execs COUNT: main, before_exec, and then the same program with COUNT less one; at zero it runs on in after_exec.
 */
#include <stdio.h>
#include "victim.h"

volatile unsigned long sink;

KNOWN void after_exec(void)
{
	for (;;)
		BURN(1000000);
}

KNOWN void before_exec(char **argv, long left)
{
	char count[24];

	BURN(100000);
	snprintf(count, sizeof(count), "%ld", left - 1);
	execl(argv[0], argv[0], count, NULL);
	exit(1);
}

int main(int argc, char **argv)
{
	long left = argc > 1 ? atol(argv[1]) : 0;

	if (left > 0)
		before_exec(argv, left);
	say_ready();
	after_exec();
	return 0;
}
