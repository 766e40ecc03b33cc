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

unsigned long value;

#define FOR_EVER "1: incq sink(%%rip)\n jmp 1b\n"

KNOWN void sp(void)
{
	__asm__ volatile("mov %0, %%rsp\n" FOR_EVER : : "r"(value));
}

KNOWN void odd(void)
{
	__asm__ volatile("add %0, %%rsp\n" FOR_EVER : : "r"(value));
}

void bp(void), chain(void);
__asm__(".text\n.type bp, @function\n.type chain, @function\n"
	"bp: .cfi_startproc\n"
	"push %rbp\n.cfi_def_cfa_offset 16\n.cfi_offset %rbp, -16\n"
	"mov %rsp, %rbp\n.cfi_def_cfa_register %rbp\n"
	"mov value(%rip), %rbp\n"
	"1: incq sink(%rip)\njmp 1b\n"
	".cfi_endproc\n.size bp, . - bp\n"
	"chain: call 2f\n"
	"2: push %rbp\nmov %rsp, %rbp\nmov %rsp, (%rsp)\n"
	"1: incq sink(%rip)\njmp 1b\n"
	".size chain, . - chain\n");

KNOWN void unmapped(void)
{
	unsigned long start = ((unsigned long)__builtin_frame_address(0) & -PAGE) + value * PAGE;

	munmap((void *)start, (unsigned long)stack + STACK_BYTES - start);
	__asm__ volatile("1: incq sink(%rip)\n jmp 1b\n");
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
