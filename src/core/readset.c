/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "readset.h"

GLOBAL int readset_holds(struct readset *r NONNULL, struct readset_now *now NONNULL)
{
	now->differs = 0;
	each(i, READSET_WORDS / READSET_STEP) {
		u32 first = opaque(i) * READSET_STEP;
		u64 differs = 0;

		if (first >= r->nr || now->differs)
			break;
		UNROLL
		for (u32 k = 0; k < READSET_STEP; k++) {
			u32 where = at(r->at, first + k) % READSET_SPAN;

			differs |= at(now->word, where) ^ at(r->word, first + k);
		}
		now->differs = differs;
	}
	return !now->differs;
}
