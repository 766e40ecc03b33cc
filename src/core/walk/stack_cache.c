/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "core/walk/stack_cache.h"

struct memo memos[MEMOS] SHARED("memos");

#define SAVED_REGS (CALLEE_SAVED | 1 << RBP)

static INLINE struct memo *memo_of(const struct memo_key *key)
{
	u64 mix = (key->ip ^ key->sp << 13 ^ key->mm) * 0x9E3779B97F4A7C15ULL;

	return &at(memos, mix >> 53);
}

static INLINE bool same_key(const struct memo_key *a, const struct memo_key *b)
{
	return !((a->ip ^ b->ip) | (a->sp ^ b->sp) | (a->mm ^ b->mm) | (a->start_boottime ^ b->start_boottime) |
		 (a->exec_id ^ b->exec_id) | (a->mm_sequence ^ b->mm_sequence));
}

static INLINE bool same_registers(const struct memo *m, const u64 *reg)
{
	u64 differs = 0;

	UNROLL
	for (u32 slot = 0; slot < NR_SAVED; slot++)
		if (m->used >> reg_of_slot[slot] & 1)
			differs |= m->reg[slot] ^ reg[reg_of_slot[slot]];
	return !differs;
}

CORE u32 memo_find(const struct memo_key *key, const u64 *reg, struct readset_now *now)
{
	struct memo *m = memo_of(key);
	u32 sequence = load_acquire(&m->sequence), stack = m->stack, span = m->reads.span;

	if (sequence & 1 || !same_key(&m->key, key) || !same_registers(m, reg))
		return 0;
	if (!span || span > READSET_SPAN || port_peek(now->word, span * sizeof(u64), key->sp & ~7ULL))
		return 0;
	if (!readset_holds(&m->reads, now))
		return 0;
	fence_acquire();
	return load_relaxed(&m->sequence) == sequence ? stack : 0;
}

CORE void memo_put(const struct memo_key *key, const u64 *reg, struct walk_trace *t, u32 stack)
{
	struct memo *m = memo_of(key);
	u32 sequence = load_relaxed(&m->sequence);

	if (!readset_is_usable(&t->reads) || !t->reads.nr || t->used & ~SAVED_REGS)
		return;
	if (sequence & 1 || cmpxchg(&m->sequence, sequence, sequence + 1) != sequence)
		return;			/* somebody else is writing */
	fence_release();
	m->key = *key;
	m->stack = stack;
	m->used = t->used;
	UNROLL
	for (u32 slot = 0; slot < NR_SAVED; slot++)
		m->reg[slot] = reg[reg_of_slot[slot]];
	readset_copy(&m->reads, &t->reads);
	store_release(&m->sequence, sequence + 2);
}
