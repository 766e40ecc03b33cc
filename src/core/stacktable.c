/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "stacktable.h"

struct put {
	struct stacktable *table;
	struct stack *stack;
	u64 place;
	u32 probes;		/* slots looked at */
	u32 full;
};

/* The size of a table that is in use; the verifier knows it as a constant. */
#define BITS(t) frozen((t)->bits, stack_bits)
#define WORD(t, i) within((t)->word, (i), (1ULL << (BITS(t) + STACK_WORD_BITS)) - 1)

/* FNV-1a over words, and a last mix so that all bits depend on all of them. */
static INLINE void hash(const struct stacktable *t, struct stack *s)
{
	s->hash = 0xcbf29ce484222325ULL ^ t->seed;
	each(i, MAX_DEPTH) {
		if (i >= s->nr)
			break;
		s->hash = (s->hash ^ at(s->frame, i)) * 0x100000001b3ULL;
	}
	s->hash = (s->hash ^ s->hash >> 32) * 0x9E3779B97F4A7C15ULL;
	s->hash ^= s->hash >> 32;
}

static INLINE bool same(const struct stacktable *t, u64 place, struct stack *s)
{
	if (WORD(t, place) != s->hash || (u16)load_relaxed(&WORD(t, place + 1)) != s->nr)
		return false;
	s->equal = 0;
	each(i, MAX_DEPTH) {
		if (i >= s->nr || WORD(t, place + STACK_HEAD + i) != at(s->frame, i))
			break;
		s->equal++;
	}
	return s->equal == s->nr;
}

/* Write @s to new words, where nobody looks yet: s->written. 0: there is no room. */
static INLINE void write(struct stacktable *t, struct stack *s)
{
	u64 need = STACK_HEAD + s->nr, slots = 2ULL << BITS(t), room = (1ULL << (BITS(t) + STACK_WORD_BITS)) - slots, place;

	if (load_relaxed(&t->used) + need > room)
		return;
	place = fetch_add(&t->used, need);
	if (place + need > room)
		return;
	place += slots;
	WORD(t, place) = s->hash;
	WORD(t, place + 1) = 1ULL << STACK_REF | s->nr;
	each(i, MAX_DEPTH) {
		if (i >= s->nr)
			break;
		WORD(t, place + STACK_HEAD + i) = at(s->frame, i);
	}
	s->written = place;
}

TURN(probe, struct put, p)
{
	struct stacktable *t = p->table;
	struct stack *s = p->stack;
	u64 *slot = &WORD(t, (s->hash + turn) & ((2ULL << BITS(t)) - 1));
	u64 seen = load_acquire(slot);

	p->probes = turn;
	if (!seen) {
		if (!s->written)
			write(t, s);
		if (!s->written) {
			p->full = 1;
			return STOP;
		}
		seen = cmpxchg(slot, 0, (s->hash & ~STACK_PLACE) | s->written);
		if (!seen) {
			fetch_add(&t->stacks, 1);
			p->place = s->written;
			s->written = 0;
			return STOP;
		}
	}
	if ((seen ^ s->hash) & ~STACK_PLACE || !same(t, seen & STACK_PLACE, s))
		return NEXT;
	p->place = seen & STACK_PLACE;
	fetch_add(&WORD(t, p->place + 1), 1ULL << STACK_REF);
	return STOP;
}

/* Which of STACK_LENGTHS? */
static INLINE u32 length_class(u32 probes)
{
	return probes < 4 ? probes : probes < 8 ? 4 : probes < 16 ? 5 : probes < 24 ? 6 : 7;
}

CORE int stacktable_put(struct stacktable *t, struct stack *s, u32 cpu, u32 *ret)
{
	struct stack_counts *c = &at(t->counts, cpu & (STACK_ROWS - 1));
	struct put p = { .table = t, .stack = s };

	if (s->nr > MAX_DEPTH)
		return -E2BIG;
	hash(t, s);
	s->written = 0;
	loop(STACK_PROBES, probe, &p);
	if (s->written)
		fetch_add(&c->raced, 1);
	if (!p.place) {
		fetch_add(p.full ? &c->full : &c->crowded, 1);
		return p.full ? -ENOSPC : -EBUSY;
	}
	fetch_add(&at(c->found, length_class(p.probes)), 1);
	*ret = stack_id(BITS(t), t->epoch, p.place);
	return 0;
}
