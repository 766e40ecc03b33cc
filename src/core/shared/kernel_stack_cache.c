/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "core/shared/kernel_stack_cache.h"

struct kernel_set kernel_sets[KERNEL_SETS] SHARED("kernel");

struct search {
	const struct stack *stack;
	struct kernel_copy *copy;
	u32 next, last; /* frames: the one to look for, and where to end */
};

/* Find the frames upwards, each at the first place that is left. */
TURN(upwards, struct search, s)
{
	u64 word = at(s->copy->now.word, turn);

	if (turn >= s->copy->words || s->next >= s->last)
		return STOP;
	if (word == at(s->stack->frame, s->next)) {
		read_log_add(&s->copy->reads, turn * sizeof(u64), word);
		s->next++;
	}
	return NEXT;
}

/* Then downwards: is each at the same place? @next counts those that have not been found yet. */
TURN(downwards, struct search, s)
{
	const struct read_log *reads = &s->copy->reads;
	u32 i = s->copy->words - 1 - turn;

	if (turn >= s->copy->words || !s->next)
		return STOP;
	if (at(s->copy->now.word, i) != at(reads->word, s->next - 1))
		return NEXT;
	if (at(reads->at, s->next - 1) != i)
		return STOP;
	s->next--;
	return NEXT;
}

/* Find where the frames lie. False: there is more than one way. */
static INLINE bool find_places(const struct kernel_key *key, struct search *s)
{
	read_log_clear(&s->copy->reads);
	s->next = key->inner;
	s->last = s->stack->nr - (key->depth == KERNEL_SYSCALL); /* then the outermost frame follows from its callee */
	if (s->stack->nr < key->inner + 2 || s->stack->nr > MAX_DEPTH)
		return false;
	loop(READ_LOG_SPAN, upwards, s);
	if (s->next < s->last || !read_log_is_usable(&s->copy->reads))
		return false;
	s->next = s->copy->reads.nr;
	loop(READ_LOG_SPAN, downwards, s);
	return !s->next;
}

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
		if (!read_log_holds(&m->reads, &copy->now))
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
	struct search search = {.stack = s, .copy = copy};
	struct kernel_set *set = kernel_set_of(key);
	struct cached_kernel_stack *m;
	u32 seen;

	if (copy->words > READ_LOG_SPAN || !find_places(key, &search))
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
