/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * main, on_random or on_zero in turn, fill, read(): the same system call with the same registers from two callers. What
 * the kernel does in it tells which of the two it is.
 */
#include <fcntl.h>
#include "victim.h"

#define FD 100

volatile unsigned long sink;
static char buffer[1 << 16];

KNOWN void fill(void)
{
	if (read(FD, buffer, sizeof(buffer)) != sizeof(buffer))
		exit(1);
	sink++;
}

KNOWN void on_random(void)
{
	fill();
	sink++;
}

KNOWN void on_zero(void)
{
	fill();
	sink++;
}

int main(void)
{
	int random = open("/dev/urandom", O_RDONLY), zero = open("/dev/zero", O_RDONLY);

	say_ready();
	for (;;) {
		if (dup2(sink % 16 ? zero : random, FD) < 0)
			return 1;
		if (sink % 16) /* zeros are had faster */
			on_zero();
		else
			on_random();
		sink--; /* a round adds two */
	}
}
