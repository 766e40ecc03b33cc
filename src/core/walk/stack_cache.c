/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "core/walk/stack_cache.h"

struct cached_stack stack_cache[STACK_CACHE_ENTRIES] SHARED("stack_cache");

static INLINE struct cached_stack *cached_stack_of(const struct stack_cache_key *key)
{
	u64 mix = (key->ip ^ key->sp << 13 ^ key->mm) * 0x9E3779B97F4A7C15ULL;

	return &at(stack_cache, mix >> 53);
}

static INLINE bool same_key(const struct stack_cache_key *a, const struct stack_cache_key *b)
{
	return !((a->ip ^ b->ip) | (a->sp ^ b->sp) | (a->mm ^ b->mm) | (a->start_boottime ^ b->start_boottime) |
		 (a->exec_id ^ b->exec_id) | (a->mm_sequence ^ b->mm_sequence));
}

static INLINE bool same_registers(const struct cached_stack *m, const u64 *reg)
{
	u64 differs = 0;

	UNROLL
	for (u32 slot = 0; slot < NR_DEPENDS; slot++)
		if (m->used >> reg_of_slot[slot] & 1)
			differs |= m->reg[slot] ^ reg[reg_of_slot[slot]];
	return !differs;
}

CORE u32 stack_cache_find(const struct stack_cache_key *key, const u64 *reg, struct stack_snapshot *now)
{
	struct cached_stack *m = cached_stack_of(key);
	u32 seen = seqcount_read(&m->sequence), stack = m->stack, span = m->reads.span;

	if (seqcount_is_odd(seen) || !same_key(&m->key, key) || !same_registers(m, reg))
		return 0;
	if (!span || span > READ_LOG_SPAN || port_peek(now->word, span * sizeof(u64), key->sp & ~7ULL))
		return 0;
	if (!read_log_holds(&m->reads, now))
		return 0;
	return seqcount_unchanged(&m->sequence, seen) ? stack : 0;
}

CORE void stack_cache_put(const struct stack_cache_key *key, const u64 *reg, struct walk_trace *t, u32 stack)
{
	struct cached_stack *m = cached_stack_of(key);
	u32 seen;

	if (!read_log_is_usable(&t->reads) || !t->reads.nr || t->used & ~DEPENDS_REGS)
		return;
	if (!seqcount_write(&m->sequence, &seen))
		return;
	m->key = *key;
	m->stack = stack;
	m->used = t->used;
	UNROLL
	for (u32 slot = 0; slot < NR_DEPENDS; slot++)
		m->reg[slot] = reg[reg_of_slot[slot]];
	read_log_copy(&m->reads, &t->reads);
	seqcount_written(&m->sequence, seen);
}
