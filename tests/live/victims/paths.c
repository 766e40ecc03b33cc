/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* 65,536 stacks, each of which says which one it is: main, walk, and 16 times even or odd, by a number's bits. */
#include "victim.h"

volatile unsigned long sink;

KNOWN void even(unsigned path, int left);
KNOWN void odd(unsigned path, int left)
{
	if (left)
		(path & 1 ? odd : even)(path >> 1, left - 1);
	else
		BURN(20000);
	sink++;
}

KNOWN void even(unsigned path, int left)
{
	if (left)
		(path & 1 ? odd : even)(path >> 1, left - 1);
	else
		BURN(20000);
	sink++;
}

KNOWN void walk(void)
{
	for (unsigned path = 1;; path = path * 1103515245 + 12345)
		(path >> 8 & 1 ? odd : even)(path >> 9, 15);
}

int main(void)
{
	say_ready();
	walk();
}
