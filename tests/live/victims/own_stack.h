/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Victims that do something to their own stack: enter, so many times recurse, and a function of theirs. */
#pragma once
#include <sys/mman.h>
#include <ucontext.h>
#include "victim.h"

#define STACK_BYTES (1 << 20)
#define PAGE 4096UL

volatile unsigned long sink;
static char *stack; /* a victim may have its own, of STACK_BYTES */
static int stack_depth;
static void (*stack_end)(void);

KNOWN void recurse(int left)
{
	volatile char room[1000];

	__asm__ volatile("" : : "r"(room) : "memory"); /* clang would leave room for the one byte */
	room[0] = left;
	if (left > 1)
		recurse(left - 1);
	else
		stack_end();
	sink += room[0];
}

KNOWN void enter(void)
{
	recurse(stack_depth);
	sink++;
}

/* enter, @depth times recurse, @end. Returns what main() is to return, if there is no stack. */
static int run_on_stack(int depth, void (*end)(void))
{
	static ucontext_t context, outside;

	if (!stack)
		stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (stack == MAP_FAILED || getcontext(&context))
		return 1;
	stack_depth = depth;
	stack_end = end;
	context.uc_stack.ss_sp = stack;
	context.uc_stack.ss_size = STACK_BYTES;
	context.uc_link = &outside;
	makecontext(&context, enter, 0);
	return swapcontext(&outside, &context);
}
