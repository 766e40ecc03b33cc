/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "core/shared/aggregation.h"

static INLINE bool take(struct charges *c, u64 cookie)
{
	u64 owner = load_relaxed(&c->owner);

	return (!owner || owner == cookie << 1) && cmpxchg(&c->owner, owner, cookie << 1 | 1) == owner;
}

/* The sum of @what's consumer and key, begun if need be; TASK_CHARGES: there is no room. */
static INLINE u32 find(struct charges *c, const struct charge *what)
{
	u32 i;

	for (i = 0; i < TASK_CHARGES; i++) {
		struct charge *s = &c->charge[i];

		if (i >= c->nr) {
			*s = (struct charge){ .key = what->key, .consumer = what->consumer };
			c->nr = i + 1;
			break;
		}
		if (s->key == what->key && s->consumer == what->consumer)
			break;
	}
	return i;
}

static INLINE bool add(struct charges *c, const struct charge *what)
{
	u32 i = find(c, what);

	if (i >= TASK_CHARGES)
		return false;
	at(c->charge, i).amount += what->amount;
	at(c->charge, i).part += what->part;
	at(c->charge, i).count += what->count;
	return true;
}

/*
 * Who gives the cookie up and finds us at work, leaves the sums; so we look whether that has happened. One of the two
 * sees the other: each writes its word before it reads the other's.
 */
CORE u32 charges_add(struct charges *c, struct defer *d, u64 cookie, const struct charge *what)
{
	bool taken = take(c, cookie), added = taken && add(c, what);
	u32 verdict = CHARGE_KEPT;

	if (taken)
		xchg(&c->owner, cookie << 1);
	if (!added)
		verdict = defer_mark(d, cookie) ? CHARGE_ELSEWHERE : CHARGE_LATE;
	if (taken && !defer_waits(d, cookie) && charges_settle(c, cookie))
		verdict |= CHARGE_ORPHANED;
	return verdict;
}
