/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Asks the vDSO for the time, ten frames deep. */
#include <time.h>
#include "victim.h"

volatile unsigned long sink;

KNOWN void ask(void)
{
	struct timespec now;

	for (int i = 0; i < 200000; i++) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		sink += now.tv_nsec;
	}
}

KNOWN void recurse(long left)
{
	if (left > 1)
		recurse(left - 1);
	else
		ask();
	sink += left;
}

int main(void)
{
	say_ready();
	for (;;)
		recurse(10);
}
