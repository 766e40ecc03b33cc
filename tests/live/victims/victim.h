/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What victims have in common: programs whose stacks are known, because their functions neither vanish nor multiply.
 *
 * A victim says "ready" on its standard output when its stacks are as its test expects them, and runs until it is
 * killed.
 */
#pragma once
#include <stdlib.h>
#include <unistd.h>

/* A function that stays what it is: not inlined, not copied for some of its callers. */
#ifdef __clang__
#define KNOWN __attribute__((noinline))
#else
#define KNOWN __attribute__((noipa))
#endif

/* Written after each call, so that no call is the last thing a function does and becomes a jump. */
extern volatile unsigned long sink;

static inline void say_ready(void)
{
	if (write(1, "ready\n", 6) != 6)
		exit(1);
}

/* Some of the CPU's time, in the caller's own instructions. */
#define BURN(times)                                            \
	do {                                                   \
		for (unsigned long i_ = 0; i_ < (times); i_++) \
			sink++;                                \
	} while (0)
