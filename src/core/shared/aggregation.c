/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "core/shared/aggregation.h"

static INLINE bool take(struct task_sums *c, u64 cookie)
{
	u64 owner = load_relaxed(&c->owner);

	return (!owner || owner == cookie << 1) && cmpxchg(&c->owner, owner, cookie << 1 | 1) == owner;
}

/* Return the index of the sum of @what's consumer and key, a new one if needed; TASK_SUMS: there is no room. */
static INLINE u32 find(struct task_sums *c, const struct task_sum *what)
{
	u32 found = TASK_SUMS;

	each (i, TASK_SUMS) {
		struct task_sum *s = &at(c->sum, i);

		if (i >= c->nr) {
			*s = (struct task_sum){.key = what->key, .consumer = what->consumer};
			c->nr = i + 1;
		}
		if (s->key == what->key && s->consumer == what->consumer) {
			found = i;
			break;
		}
	}
	return found;
}

static INLINE bool add(struct task_sums *c, const struct task_sum *what)
{
	u32 i = find(c, what);

	if (i >= TASK_SUMS)
		return false;
	at(c->sum, i).amount += what->amount;
	at(c->sum, i).part += what->part;
	at(c->sum, i).count += what->count;
	return true;
}

/*
 * If the cookie ends while we hold the list, its walk cannot settle the sums, so check for that at the end. One of the
 * two sees the other: each writes its word before it reads the other's.
 */
CORE u32 task_sums_add(struct task_sums *c, struct defer *d, u64 cookie, const struct task_sum *what)
{
	bool taken = take(c, cookie), added = taken && add(c, what);
	u32 verdict = SUM_KEPT;

	if (taken)
		xchg(&c->owner, cookie << 1);
	if (!added)
		verdict = defer_mark(d, cookie) ? SUM_ELSEWHERE : SUM_LATE;
	if (taken && !defer_waits(d, cookie) && task_sums_take(c, cookie))
		verdict |= SUM_ORPHANED;
	return verdict;
}
