/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "core/shared/defer.h"

GLOBAL u32 defer_request(struct defer *d NONNULL, u32 who, u64 fresh, u64 *cookie NONNULL)
{
	u64 bit = 1ULL << (who & (DEFER_CONSUMERS - 1));

	for (u32 attempt = 0; attempt < DEFER_ATTEMPTS; attempt++) {
		u64 old = load_relaxed(&d->word);
		u64 new = (old ? old : fresh << DEFER_BITS) | bit;

		if (!old && !fresh)
			break;
		if (cmpxchg(&d->word, old, new) != old)
			continue; /* an interrupt asked in between */

		*cookie = new >> DEFER_BITS;
		if (!old)
			return DEFER_SCHEDULE;
		return old & bit ? DEFER_REPEAT : DEFER_JOIN;
	}
	return DEFER_CONTENDED;
}

CORE bool defer_cancel(struct defer *d, u32 who)
{
	u64 bit = 1ULL << (who & (DEFER_CONSUMERS - 1));

	for (u32 attempt = 0; attempt < DEFER_ATTEMPTS; attempt++) {
		u64 old = load_relaxed(&d->word);

		if (!(old & bit) || cmpxchg(&d->word, old, old & ~bit) == old)
			return true;
	}
	return false;
}

CORE bool defer_mark(struct defer *d, u64 cookie)
{
	for (u32 attempt = 0; attempt < DEFER_ATTEMPTS; attempt++) {
		u64 old = load_relaxed(&d->word);

		if (old >> DEFER_BITS != cookie)
			return false;
		if (old & DEFER_ELSEWHERE || cmpxchg(&d->word, old, old | DEFER_ELSEWHERE) == old)
			return true;
	}
	return false;
}

CORE u64 defer_idle(struct defer *d)
{
	u64 word = load_relaxed(&d->word);

	if (word & DEFER_ALL || cmpxchg(&d->word, word, 0) != word)
		return 0;
	return word >> DEFER_BITS;
}

CORE u64 defer_take(struct defer *d, u64 *cookie)
{
	u64 word = xchg(&d->word, 0);

	*cookie = word >> DEFER_BITS;
	return word & ((1ULL << DEFER_BITS) - 1);
}
