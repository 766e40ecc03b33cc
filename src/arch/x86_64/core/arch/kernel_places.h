/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where a kernel stack has its return addresses, on x86-64. A part of core/shared/kernel_stack_cache.c.
 *
 * The kernel's unwinder does not tell where it read an address. Places are accepted if there is only one way to find
 * all addresses in the stack, in their order: with two ways, one could be left over from an earlier call. A function
 * that moves its frame (alloca()) may still lead to a wrong match.
 */
#pragma once
#include "core/shared/kernel_stack_cache.h"

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

/* Find frames @first to @last - 1 of @s in @copy, and log their places. False: they are not certain. */
static INLINE bool kernel_places_find(const struct stack *s, u32 first, u32 last, struct kernel_copy *copy)
{
	struct search search = {.stack = s, .copy = copy, .next = first, .last = last};

	loop(READ_LOG_SPAN, upwards, &search);
	if (search.next < last || !read_log_is_usable(&copy->reads))
		return false;
	search.next = copy->reads.nr;
	loop(READ_LOG_SPAN, downwards, &search);
	return !search.next;
}

/* Has @copy at each place of @reads what was found there? */
static INLINE bool kernel_places_hold(struct read_log *reads, struct kernel_copy *copy)
{
	return read_log_holds(reads, &copy->now);
}
