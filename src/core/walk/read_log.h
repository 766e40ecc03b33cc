/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The read log: all words that a walk read of a stack, by their distance from the initial stack pointer.
 *
 * A walk is a function of its registers, of the rows that it used, and of these words. If none of them has changed, a
 * new walk would have the same result, whatever else has changed on the stack. So one copy and a few comparisons answer
 * exactly whether a stack that was walked before is there again.
 */
#pragma once
#include "core/atomic.h"

#define READ_LOG_WORDS 128 /* 128 frames; a multiple of READ_LOG_STEP */
#define READ_LOG_STEP 8	   /* words compared together, without a branch */
#define READ_LOG_SPAN 1024 /* words: 8 KiB of stack */

struct read_log {
	u32 nr;	  /* more than READ_LOG_WORDS: not usable */
	u32 span; /* words from the base on that must be read to compare */
	u16 at[READ_LOG_WORDS];
	u64 word[READ_LOG_WORDS];
};

/* A snapshot: the stack as it is now, from the base on. */
struct stack_snapshot {
	u64 word[READ_LOG_SPAN];
	u64 differs;
};

static INLINE void read_log_clear(struct read_log *r)
{
	r->nr = r->span = 0;
}

static INLINE bool read_log_is_usable(const struct read_log *r)
{
	return r->nr <= READ_LOG_WORDS;
}

static INLINE void read_log_invalidate(struct read_log *r)
{
	r->nr = READ_LOG_WORDS + 1;
}

/* Add the word @distance bytes above the base. If there is no room, or it is too far away, @r becomes unusable. */
static INLINE void read_log_add(struct read_log *r, u64 distance, u64 word)
{
	u32 nr = r->nr;

	if (nr >= READ_LOG_WORDS || distance >= READ_LOG_SPAN * sizeof(u64) || distance % sizeof(u64)) {
		read_log_invalidate(r);
		return;
	}
	at(r->at, nr) = distance / sizeof(u64);
	at(r->word, nr) = word;
	r->nr = nr + 1;
	if (distance / sizeof(u64) >= r->span)
		r->span = distance / sizeof(u64) + 1;
}

/* Copy @r, usable and not empty, to @to, and fill up the last step. */
static INLINE void read_log_copy(struct read_log *to, const struct read_log *r)
{
	u32 nr = r->nr;

	each (i, READ_LOG_WORDS) {
		u32 from = i < nr ? i : 0;

		if (i >= nr && i % READ_LOG_STEP == 0)
			break;
		at(to->at, i) = at(r->at, from);
		at(to->word, i) = at(r->word, from);
	}
	to->nr = nr;
	to->span = r->span;
}

/* Is each word of @r in @now, as @as() has it with @base? As read_log_holds(), for those that have an @as() of their own. */
static INLINE int read_log_compare(struct read_log *r, struct stack_snapshot *now, u64 (*as)(u64 word, u64 base),
				   u64 base)
{
	now->differs = 0;
	each (i, READ_LOG_WORDS / READ_LOG_STEP) {
		u32 first = opaque(i) * READ_LOG_STEP & (READ_LOG_WORDS - 1);
		const u16 *where = &r->at[first];
		const u64 *word = &r->word[first];
		u64 differs = 0;

		if (first >= r->nr || load_relaxed(&now->differs))
			break;
		UNROLL
		for (u32 k = 0; k < READ_LOG_STEP; k++)
			differs |= as(now->word[where[k] % READ_LOG_SPAN], base) ^ word[k];
		now->differs = differs;
	}
	return !now->differs;
}

/*
 * Are all words of @r unchanged in @now, of which r->span words were read? @r comes from read_log_copy(), and may be
 * written to at the same time. Returns 1 or 0.
 */
GLOBAL int read_log_holds(struct read_log *r NONNULL, struct stack_snapshot *now NONNULL);
