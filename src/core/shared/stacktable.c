/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "core/shared/stacktable.h"

struct put {
	struct stacktable *table;
	struct stack *stack;
};

/* The size of a table that is in use, which is a constant for the verifier. */
#define BITS(t) frozen((t)->bits, stack_bits)
#define WORD(t, i) within((t)->word, (i), stacktable_words(BITS(t)) - 1)

/*
 * Four frames at a time, as long as there are four: a turn of a loop costs more than its work. The number of the block
 * is opaque, or the compiler would count in frames as well, from a number that the verifier knows.
 */
#define BLOCK 4
#define FRAMES_AT(s, i) (&within((s)->frame, opaque(i) * BLOCK, MAX_DEPTH - BLOCK))
#define KEPT_AT(t, place, i) (&WORD(t, (place) + STACK_HEAD + opaque(i) * BLOCK))

/*
 * FNV-1a over words, in blocks over two at a time, with a final mix so that all bits depend on all others. Without the
 * seed one cannot make stacks that share a hash.
 */
static INLINE void hash(const struct stacktable *t, struct stack *s)
{
	u64 h = 0xcbf29ce484222325ULL ^ t->seed, k = t->seed | 1;
	u32 blocks = s->nr / BLOCK, rest = s->nr & ~(BLOCK - 1);

	each (i, MAX_DEPTH / BLOCK) {
		const u64 *f;

		if (i >= blocks)
			break;
		f = FRAMES_AT(s, i);
		h = (h ^ f[0] ^ f[1] * k) * 0x100000001b3ULL;
		h = (h ^ f[2] ^ f[3] * k) * 0x100000001b3ULL;
	}
	each (i, BLOCK) {
		if (rest + i >= s->nr)
			break;
		h = (h ^ at(s->frame, rest + opaque(i))) * 0x100000001b3ULL;
	}
	h = (h ^ h >> 32) * 0x9E3779B97F4A7C15ULL;
	s->hash = h ^ h >> 32;
}

static INLINE bool same(const struct stacktable *t, u64 place, const struct stack *s)
{
	u64 differ = WORD(t, place) ^ s->hash;
	u32 blocks = s->nr / BLOCK, rest = s->nr & ~(BLOCK - 1);

	if (differ || (u16)load_relaxed(&WORD(t, place + 1)) != s->nr)
		return false;
	each (i, MAX_DEPTH / BLOCK) {
		const u64 *f, *w;

		if (i >= blocks || differ)
			break;
		f = FRAMES_AT(s, i);
		w = KEPT_AT(t, place, i);
		differ = (f[0] ^ w[0]) | (f[1] ^ w[1]) | (f[2] ^ w[2]) | (f[3] ^ w[3]);
	}
	each (i, BLOCK) {
		if (rest + i >= s->nr)
			break;
		differ |= at(s->frame, rest + opaque(i)) ^ WORD(t, place + STACK_HEAD + rest + opaque(i));
	}
	return !differ;
}

/* Write @s to new words, which no reader looks at yet: s->written. 0: there is no room. */
static INLINE void write(struct stacktable *t, struct stack *s)
{
	u64 slots = stacktable_slots(BITS(t)), room = stacktable_words(BITS(t)) - slots, need = STACK_HEAD + s->nr,
	    place;
	u32 blocks = s->nr / BLOCK, rest = s->nr & ~(BLOCK - 1);

	if (load_relaxed(&t->used) + need > room)
		return;
	place = fetch_add(&t->used, need);
	if (place + need > room)
		return;
	place += slots;
	WORD(t, place) = s->hash;
	WORD(t, place + 1) = 1ULL << STACK_REF | s->nr;
	each (i, MAX_DEPTH / BLOCK) {
		const u64 *f;
		u64 *w;

		if (i >= blocks)
			break;
		f = FRAMES_AT(s, i);
		w = KEPT_AT(t, place, i);
		w[0] = f[0];
		w[1] = f[1];
		w[2] = f[2];
		w[3] = f[3];
	}
	each (i, BLOCK) {
		if (rest + i >= s->nr)
			break;
		WORD(t, place + STACK_HEAD + rest + opaque(i)) = at(s->frame, rest + opaque(i));
	}
	s->written = place;
}

TURN(probe, struct put, p)
{
	struct stacktable *t = p->table;
	struct stack *s = p->stack;
	u64 *slot = &WORD(t, (s->hash + turn * (turn + 1) / 2) & (stacktable_slots(BITS(t)) - 1));
	u64 seen = load_acquire(slot);

	s->probes = turn;
	if (!seen) {
		if (!s->written)
			write(t, s);
		if (!s->written) {
			s->full = 1;
			return STOP;
		}
		seen = cmpxchg(slot, 0, (s->hash & ~STACK_PLACE) | s->written);
		if (!seen) {
			fetch_add(&t->stacks, 1);
			s->place = s->written;
			s->written = 0;
			return STOP;
		}
	}
	if ((seen ^ s->hash) & ~STACK_PLACE || !same(t, seen & STACK_PLACE, s))
		return NEXT;
	s->place = seen & STACK_PLACE;
	fetch_add(&WORD(t, s->place + 1), 1ULL << STACK_REF);
	return STOP;
}

/* Return the class, below STACK_LENGTHS, of a number of probes. */
static INLINE u32 length_class(u32 probes)
{
	return probes < 4 ? probes : probes < 8 ? 4 : probes < 16 ? 5 : probes < 24 ? 6 : 7;
}

CORE int stacktable_put(struct stacktable *t, struct stack *s, u32 cpu, u32 *ret)
{
	struct stack_counts *c = &at(t->counts, cpu & (STACK_ROWS - 1));
	struct put p = {.table = t, .stack = s};

	if (s->nr > MAX_DEPTH)
		return -E2BIG;
	hash(t, s);
	s->written = s->probes = s->full = 0;
	s->place = 0;
	loop(STACK_PROBES, probe, &p);
	if (s->written)
		fetch_add(&c->raced, 1);
	if (!s->place) {
		fetch_add(s->full ? &c->full : &c->crowded, 1);
		return s->full ? -ENOSPC : -EBUSY;
	}
	fetch_add(&at(c->found, length_class(s->probes)), 1);
	*ret = stack_id(BITS(t), t->epoch, s->place);
	return 0;
}

CORE void stacktable_refer(struct stacktable *t, u32 id, u32 n)
{
	u64 place = id & (stacktable_words(BITS(t)) - 1);

	if (stack_is_of(BITS(t), t->epoch, id) && place >= stacktable_slots(BITS(t)))
		fetch_add(&WORD(t, place + 1), (u64)n << STACK_REF);
}
