/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * hollow: main, hollow, burn. Most pages of the variables of hollow are never written, and so not in memory. Nearly all of
 * its time is in burn.
 */
#include "victim.h"

volatile unsigned long sink;

KNOWN void burn(void)
{
	BURN(20000000);
}

KNOWN void hollow(void)
{
	volatile char room[48 << 10];

	room[0] = 1;
	burn();
	sink += room[0];
}

int main(void)
{
	say_ready();
	for (;;)
		hollow();
}
