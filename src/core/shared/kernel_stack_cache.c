/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "core/shared/kernel_stack_cache.h"
#include "core/arch/kernel_places.h"

struct kernel_set kernel_sets[KERNEL_SETS] SHARED("kernel");

static INLINE bool same_key(const struct kernel_key *a, const struct kernel_key *b)
{
	return a->entry == b->entry && a->depth == b->depth;
}

CORE u32 kernel_stack_cache_find(const struct kernel_key *key, struct kernel_copy *copy)
{
	struct kernel_set *set = kernel_set_of(key);
	u32 found = 0;

	each (i, KERNEL_WAYS) {
		struct cached_kernel_stack *m = &at(set->way, i);
		u32 seen = seqcount_read(&m->sequence), stack = m->stack;

		if (seqcount_is_odd(seen) || !stack || m->reads.span > copy->words || !same_key(&m->key, key))
			continue;
		if (!kernel_places_hold(&m->reads, copy))
			continue;
		if (!seqcount_unchanged(&m->sequence, seen))
			continue;
		found = stack;
		break;
	}
	return found;
}

CORE void kernel_stack_cache_put(const struct kernel_key *key, const struct stack *s, struct kernel_copy *copy,
				 u32 stack)
{
	struct kernel_set *set = kernel_set_of(key);
	struct cached_kernel_stack *m;
	u32 seen;

	if (copy->words > READ_LOG_SPAN || s->nr <= key->inner + key->outer || s->nr > MAX_DEPTH)
		return;
	read_log_clear(&copy->reads);
	if (!kernel_places_find(s, key->inner, s->nr - key->outer, copy))
		return;
	m = &at(set->way, fetch_add(&set->turn, 1) % KERNEL_WAYS);
	if (!seqcount_write(&m->sequence, &seen))
		return;
	m->key = *key;
	m->stack = stack;
	read_log_copy(&m->reads, &copy->reads);
	if (copy->reads.span > load_relaxed(&set->span))
		set->span = copy->reads.span;
	seqcount_written(&m->sequence, seen);
}
