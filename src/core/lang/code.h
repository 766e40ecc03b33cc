/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Numbers of code: that of its content, so that it is the same in all processes. */
#pragma once
#include "core/lang.h"
#include "core/port.h"

#define CODE_PROBES 8 /* numbers that are tried */

static INLINE u64 code_mix(u64 hash, u64 word)
{
	hash = (hash ^ word) * 0x9E3779B97F4A7C15ULL;
	return hash ^ hash >> 29;
}

/* The number that is tried @turn-th for content with this hash. 0 is none. */
static INLINE u32 code_number(u64 hash, u32 turn)
{
	u32 number = (hash + turn) & 0xffffff;

	return number ? number : CODE_PROBES;
}

/* Compute l->hash, that of l->content. */
GLOBAL int code_hash(struct lang *l NONNULL);

/* Are both the same? */
GLOBAL bool code_is_same(const struct code_content *a NONNULL, const struct code_content *b NONNULL);
