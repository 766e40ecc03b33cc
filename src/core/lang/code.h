/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Numbers of code: that of its content, so that it is the same in all processes.
 *
 *	23        20  19     0
 *	[ generation |  hash  ]
 *
 * When the table is nearly full a new generation begins, and code that is met again gets a new number; that of the generation before last is
 * removed. So no number is given to other code before all generations have had their turn.
 */
#pragma once
#include "core/lang.h"
#include "core/port.h"

#define CODE_PROBES 8 /* numbers that are tried */

static INLINE u64 code_mix(u64 hash, u64 word)
{
	hash = (hash ^ word) * 0x9E3779B97F4A7C15ULL;
	return hash ^ hash >> 29;
}

#define CODE_GENERATIONS 16
#define CODE_GENERATION_SHIFT 20

static INLINE u32 code_generation(u32 number)
{
	return number >> CODE_GENERATION_SHIFT;
}

/* Is @number still of use, as it is of @generation or of the one before? */
static INLINE bool code_is_of_use(u32 number, u32 generation)
{
	return ((generation - code_generation(number)) & (CODE_GENERATIONS - 1)) < 2;
}

/* The number that is tried @turn-th in @generation for content with this hash. 0 is none. */
static INLINE u32 code_number(u64 hash, u32 turn, u32 generation)
{
	u32 number = (generation & (CODE_GENERATIONS - 1)) << CODE_GENERATION_SHIFT |
		     ((hash + turn) & ((1u << CODE_GENERATION_SHIFT) - 1));

	return number ? number : CODE_PROBES;
}

/* Compute l->hash, that of l->content. */
GLOBAL int code_hash(struct lang *l NONNULL);

/* Are both the same? */
GLOBAL bool code_is_same(const struct code_content *a NONNULL, const struct code_content *b NONNULL);

/* Read the words at @addr to l->text, or, if what lies there is the last thing that is mapped, those up to the end of its page. Returns 0, -EFAULT or -EACCES. */
GLOBAL int code_read_words(struct lang *l NONNULL, u64 addr);
