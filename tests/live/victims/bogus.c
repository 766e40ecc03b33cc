/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * bogus sp|bp|odd|chain|unmapped VALUE: main, and a function of that name that runs for ever with a register that leads
 * to where no stack can be.
 *
 *	sp	the stack pointer is VALUE
 *	bp	the frame pointer, by which its CFI finds the caller, is VALUE
 *	odd	the stack pointer is off by VALUE
 *	chain	code without CFI, whose frame pointer leads to itself
 *	unmapped	the stack is unmapped, from VALUE pages above the stack pointer
 */
#include <string.h>
#include <sys/mman.h>
#include "own_stack.h"
#include "victim_code.h"

unsigned long value;

KNOWN void sp(void)
{
	LOSE_STACK(value);
}

KNOWN void odd(void)
{
	MOVE_STACK(value);
}

void bp(void), chain(void);
__asm__(BOGUS_FUNCTIONS);

KNOWN void unmapped(void)
{
	unsigned long start = ((unsigned long)__builtin_frame_address(0) & -PAGE) + value * PAGE;

	munmap((void *)start, (unsigned long)stack + STACK_BYTES - start);
	STAY();
}

int main(int argc, char **argv)
{
	value = argc > 2 ? strtoul(argv[2], NULL, 0) : 0;
	say_ready();
	if (!strcmp(argv[1], "sp"))
		sp();
	else if (!strcmp(argv[1], "bp"))
		bp();
	else if (!strcmp(argv[1], "odd"))
		odd();
	else if (!strcmp(argv[1], "chain"))
		chain();
	return run_on_stack(60, unmapped);
}
