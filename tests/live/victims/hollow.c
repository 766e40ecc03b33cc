/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * hollow: main, hollow, burn. Most pages of the variables of hollow are not in memory, as if they had never been written. Nearly
 * all of its time is in burn.
 */
#include <stdint.h>
#include <sys/mman.h>
#include "victim.h"

#define ROOM (48 << 10)
#define PAGE 4096

volatile unsigned long sink;

KNOWN void burn(void)
{
	BURN(20000000);
}

KNOWN void hollow(void)
{
	volatile char room[ROOM];
	uintptr_t begin = ((uintptr_t)room + PAGE) & -PAGE;

	room[0] = 1;
	madvise((void *)begin, ROOM - 3 * PAGE, MADV_DONTNEED); /* compilers may touch each page */
	for (;;) {
		burn();
		sink += room[0];
	}
}

int main(void)
{
	say_ready();
	hollow();
	return sink; /* so that the call is no jump */
}
