/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a frame of the kernel's stack looks like, and which words of it tell two stacks apart. */
#pragma once
#include "core/shared/kernel_stack_cache.h"

#define TEST_FRAME_WORDS 2 /* the smallest frame: a record */
#define TEST_MOST_FRAMES (READ_LOG_WORDS / 2)
#define TEST_CODES 0xff7f000000000000ULL /* bits of an authentication code */

extern u32 kernel_chain;

/* Write a record with the return address @address, signed, to word @place of @c, and let that of @callee lead to it. */
static inline void test_kernel_frame(struct kernel_copy *c, u32 place, u32 callee, u64 address)
{
	c->now.word[place] = address ^ (place * 0x9E3779B97F4A7C15ULL & TEST_CODES);
	if (callee)
		c->now.word[callee - 1] = c->sp + (place - 1) * sizeof(u64);
}

/* Is word @word looked at, for the return address at @place? @outermost: of those that are looked for. */
static inline bool test_counts(u32 word, u32 place, bool outermost)
{
	return word == place || (word + 1 == place && !outermost);
}

/* @word, no link, as it is compared. */
static inline u64 test_word(u64 word)
{
	return word | TEST_CODES;
}

/* Forget what was learnt of all stacks. */
static inline void test_forget(void)
{
	memset(kernel_sets, 0, sizeof(kernel_sets));
	kernel_chain = 0;
}
