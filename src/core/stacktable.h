/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Every distinct stack once, under a 4-byte id; written from any context, read by user space while it is written.
 *
 * Two arrays. A stack is kept in @word as hash, length and frames, at its own length; its id is where it begins. A slot
 * is one word too: the hash's upper half and the id. So a stack is written first, where nobody looks yet, and then
 * published by one compare-and-swap of its slot: nothing is ever half there, and nobody has to wait.
 *
 * Who loses that race looks at what the winner put there. Since all who insert a stack try the same slots in the same
 * order, and slots are never emptied, a stack cannot get two ids.
 *
 * Index-based, without pointers, so that both sides of the border use it as it is.
 */
#pragma once
#include "atomic.h"
#include "stack.h"

#define STACK_SLOTS (1 << 16)
#define STACK_WORDS (1 << 20)		/* 8 MiB: about 30,000 stacks of 30 frames */
#define STACK_PROBES 32
#define STACK_HEAD 2			/* words before the frames: hash, length */

struct stacktable {
	u64 used;			/* words given out; may run past the end */
	u64 stacks;			/* published */
	u64 slot[STACK_SLOTS];
	u64 word[STACK_WORDS];
};

/*
 * The id of @s, never 0; uses its working space. -ENOSPC: the table is full, or STACK_PROBES slots are taken; known
 * stacks are still found then. Any context; never sleeps, waits or allocates.
 */
CORE int stacktable_put(struct stacktable *t, struct stack *s, u32 *ret);

/*
 * The stack @id as an array in the table: returns its frames, *@nr how many. NULL if @id is none that
 * stacktable_put() gave out. What it returns stays as it is.
 */
static inline const u64 *stacktable_get(const struct stacktable *t, u32 id, u32 *nr)
{
	u64 len;

	if (!id || (u64)id + STACK_HEAD > STACK_WORDS)
		return 0;
	len = load_acquire(&t->word[id + 1]);
	if (len > MAX_DEPTH || id + STACK_HEAD + len > STACK_WORDS)
		return 0;
	*nr = len;
	return &t->word[id + STACK_HEAD];
}
