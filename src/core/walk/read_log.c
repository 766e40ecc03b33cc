/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "core/walk/read_log.h"

GLOBAL int readset_holds(struct readset *r NONNULL, struct readset_now *now NONNULL)
{
	now->differs = 0;
	each(i, READSET_WORDS / READSET_STEP) {
		u32 first = opaque(i) * READSET_STEP & (READSET_WORDS - 1);
		const u16 *where = &r->at[first];
		const u64 *word = &r->word[first];
		u64 differs = 0;

		if (first >= r->nr || load_relaxed(&now->differs))
			break;
		UNROLL
		for (u32 k = 0; k < READSET_STEP; k++)
			differs |= now->word[where[k] % READSET_SPAN] ^ word[k];
		now->differs = differs;
	}
	return !now->differs;
}
