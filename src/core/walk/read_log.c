/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "core/walk/read_log.h"

GLOBAL int read_log_holds(struct read_log *r NONNULL, struct stack_snapshot *now NONNULL)
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
			differs |= now->word[where[k] % READ_LOG_SPAN] ^ word[k];
		now->differs = differs;
	}
	return !now->differs;
}
