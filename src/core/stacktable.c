/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "stacktable.h"

struct put {
	struct stacktable *table;
	struct stack *stack;
	u32 id;
};

/* FNV-1a over words, and a last mix so that the upper half depends on all of them. */
static INLINE void hash(struct stack *s)
{
	s->hash = 0xcbf29ce484222325ULL;
	each(i, MAX_DEPTH) {
		if (i >= s->nr)
			break;
		s->hash = (s->hash ^ at(s->frame, i)) * 0x100000001b3ULL;
	}
	s->hash = (s->hash ^ s->hash >> 32) * 0x9E3779B97F4A7C15ULL;
}

static INLINE bool same(const struct stacktable *t, u32 id, struct stack *s)
{
	if (at(t->word, id) != s->hash || at(t->word, id + 1) != s->nr)
		return false;
	s->equal = 0;
	each(i, MAX_DEPTH) {
		if (i >= s->nr || at(t->word, id + STACK_HEAD + i) != at(s->frame, i))
			break;
		s->equal++;
	}
	return s->equal == s->nr;
}

/* Write @s to new words, where nobody looks yet: s->written. 0: there is no room. */
static INLINE void write(struct stacktable *t, struct stack *s)
{
	u64 need = STACK_HEAD + s->nr, id;

	s->written = 0;
	if (load_relaxed(&t->used) + need >= STACK_WORDS)
		return;
	id = fetch_add(&t->used, need) + 1;	/* 0 is no id */
	if (id + need > STACK_WORDS)
		return;
	at(t->word, id) = s->hash;
	at(t->word, id + 1) = s->nr;
	each(i, MAX_DEPTH) {
		if (i >= s->nr)
			break;
		at(t->word, id + STACK_HEAD + i) = at(s->frame, i);
	}
	s->written = id;
}

TURN(probe, struct put, p)
{
	struct stack *s = p->stack;
	u64 *slot = &at(p->table->slot, (u32)(s->hash + turn) & (STACK_SLOTS - 1));
	u64 seen = load_acquire(slot);

	if (!seen) {
		if (!s->written)
			write(p->table, s);
		if (!s->written)
			return STOP;
		seen = cmpxchg(slot, 0, (s->hash & ~0xffffffffULL) | s->written);
		if (!seen) {
			fetch_add(&p->table->stacks, 1);
			p->id = s->written;
			return STOP;
		}
	}
	if (seen >> 32 != s->hash >> 32 || !same(p->table, (u32)seen, s))
		return NEXT;
	p->id = (u32)seen;		/* what was written in vain stays unused */
	return STOP;
}

CORE int stacktable_put(struct stacktable *t, struct stack *s, u32 *ret)
{
	struct put p = { .table = t, .stack = s };

	if (s->nr > MAX_DEPTH)
		return -ENOSPC;
	hash(s);
	s->written = 0;
	loop(STACK_PROBES, probe, &p);
	if (!p.id)
		return -ENOSPC;
	*ret = p.id;
	return 0;
}
