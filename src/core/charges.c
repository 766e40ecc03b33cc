/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "charges.h"

/* The sum of @consumer and @key, begun if need be; TASK_CHARGES: there is no room. */
static INLINE u32 find(struct charges *c, u32 consumer, u64 key)
{
	u32 i;

	for (i = 0; i < TASK_CHARGES; i++) {
		struct charge *s = &c->charge[i];

		if (i >= c->nr) {
			*s = (struct charge){ .key = key, .consumer = consumer };
			c->nr = i + 1;
			break;
		}
		if (s->key == key && s->consumer == consumer)
			break;
	}
	return i;
}

static INLINE bool add(struct charges *c, u64 cookie, u32 consumer, u64 key, u64 amount)
{
	u32 i;

	if (!c->nr)
		c->cookie = cookie;
	if (c->cookie != cookie)
		return false;
	i = find(c, consumer, key);
	if (i >= TASK_CHARGES)
		return false;
	at(c->charge, i).amount += amount;
	at(c->charge, i).count++;
	return true;
}

/* What is there of another cookie is of a walk that is over, or about to read it again. */
static INLINE void turn_away(struct charges *c, u64 cookie, u32 consumer)
{
	u64 bit = 1ULL << (consumer & (DEFER_BITS - 1));

	for (u32 attempt = 0; attempt < DEFER_ATTEMPTS; attempt++) {
		u64 old = load_relaxed(&c->elsewhere);
		u64 new = (old >> DEFER_BITS == cookie ? old : cookie << DEFER_BITS) | bit;

		if (cmpxchg(&c->elsewhere, old, new) == old)
			break;
	}
}

CORE bool charges_add(struct charges *c, u64 cookie, u32 consumer, u64 key, u64 amount)
{
	bool added = false;

	if (!cmpxchg(&c->busy, 0, 1)) {
		added = add(c, cookie, consumer, key, amount);
		xchg(&c->busy, 0);
	}
	if (!added)
		turn_away(c, cookie, consumer);
	return added;
}

CORE bool charges_settle(struct charges *c, u64 cookie)
{
	if (cmpxchg(&c->busy, 0, 1))
		return false;
	if (c->nr && c->cookie == cookie)
		return true;
	xchg(&c->busy, 0);
	return false;
}
