/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a frame of the kernel's stack looks like, and which words of it tell two stacks apart. */
#pragma once
#include "core/shared/kernel_stack_cache.h"

#define TEST_FRAME_WORDS 1 /* the smallest frame */
#define TEST_MOST_FRAMES READ_LOG_WORDS

/* Write the return address @address to word @place of @c. @callee: where the callee's is; 0: this is the innermost. */
static inline void test_kernel_frame(struct kernel_copy *c, u32 place, u32 callee, u64 address)
{
	c->now.word[place] = address;
}

/* Is word @word looked at, for the return address at @place? @outermost: of those that are looked for. */
static inline bool test_counts(u32 word, u32 place, bool outermost)
{
	return word == place;
}

/* @word, as it is compared. */
static inline u64 test_word(u64 word)
{
	return word;
}

/* Forget what was learnt of all stacks. */
static inline void test_forget(void)
{
	memset(kernel_sets, 0, sizeof(kernel_sets));
}
