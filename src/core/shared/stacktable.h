/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Every distinct stack once, under a 4-byte id; written from any context, read by user space while it is written.
 *
 * One array of words: slots first, then the stacks. A stack is kept as hash, length and frames, at its own length; its
 * id says where it begins. A slot is one word too: the hash's upper part and the place. So a stack is written first,
 * where nobody looks yet, and then published by one compare-and-swap of its slot: nothing is ever half there, and
 * nobody has to wait.
 *
 * Who loses that race looks at what the winner put there. Since all who insert a stack try the same slots in the same
 * order (its own, and 1, 3, 6, 10... behind it, so that full ones do not pile up), and slots are never emptied, a stack
 * cannot get two ids. A full table leaves no traces of what did not fit.
 *
 * Index-based, without pointers, so that both sides of the border use it as it is. A table is never emptied: a fresh
 * one takes its place (epochs.h), and ids say of which they are.
 */
#pragma once
#include "core/atomic.h"
#include "core/stack.h"

/* Sizes: 2^bits stacks of 60 frames, or up to twice as many shorter ones. */
#define STACK_MIN_BITS 10
#define STACK_MAX_BITS 20
#define STACK_DEFAULT_BITS 14
#define STACK_WORD_BITS 6 /* 2^(bits + 6) words, of which 2^(bits + 1) are slots */

#define STACK_PROBES 32
#define STACK_HEAD 2	     /* words before the frames: hash; references and length */
#define STACK_REF 16	     /* bit where the references begin */
#define STACK_SPARE_BYTES 32 /* behind the words: the verifier does not know that frames end where they do */
#define STACK_PLACE ((1ULL << (STACK_MAX_BITS + STACK_WORD_BITS)) - 1) /* of a slot; the rest is the hash's */

/* How many slots were looked at: 1, 2, 3, 4, up to 8, 16, 24, 32. */
#define STACK_LENGTHS 8
#define STACK_ROWS 64 /* CPUs beyond share them; a power of two */

struct stack_counts {
	u64 found[STACK_LENGTHS]; /* stacks that got an id, by the slots looked at */
	u64 full, crowded;	  /* those that got none: no room for the frames; STACK_PROBES slots taken */
	u64 raced;		  /* written in vain, as somebody was faster with the same: room that is lost */
	u64 given;		  /* references in all: in sums only, a row does not count them */
	u64 pad[4];
};

struct stacktable {
	u32 bits, epoch; /* set before anybody else sees it, as is: */
	u64 seed;	 /* of the hash */
	u64 used;	 /* words given out; may run past the end */
	u64 stacks;	 /* published */
	u64 pad[4];
	struct stack_counts counts[STACK_ROWS];
	u64 word[];
};

static INLINE u64 stacktable_words(u32 bits)
{
	return 1ULL << (bits + STACK_WORD_BITS);
}

static INLINE u64 stacktable_slots(u32 bits)
{
	return 2ULL << bits;
}

static inline u64 stacktable_bytes(u32 bits)
{
	return sizeof(struct stacktable) + stacktable_words(bits) * sizeof(u64) + STACK_SPARE_BYTES;
}

/*
 * The id of @s, never 0; uses its working space. -ENOSPC: there is no room; -EBUSY: STACK_PROBES slots are taken;
 * -E2BIG: longer than MAX_DEPTH. Known stacks are found in a full table, too. @cpu: which counters. Any context; never
 * sleeps, waits or allocates.
 */
CORE int stacktable_put(struct stacktable *t, struct stack *s, u32 cpu, u32 *ret);

/* @n more events have the stack @id; nothing happens if that cannot be one of this table. Any context. */
CORE void stacktable_refer(struct stacktable *t, u32 id, u32 n);

/*
 * The stack at @place as an array in the table: returns its frames, *@nr how many. NULL if no stack can be there. What
 * it returns stays as it is.
 */
static inline const u64 *stacktable_at(const struct stacktable *t, u64 place, u32 *nr)
{
	u64 words = stacktable_words(t->bits), len;

	if (place < stacktable_slots(t->bits) || place + STACK_HEAD > words)
		return 0;
	len = load_acquire(&t->word[place + 1]) & ((1 << STACK_REF) - 1);
	if (len > MAX_DEPTH || place + STACK_HEAD + len > words)
		return 0;
	*nr = len;
	return &t->word[place + STACK_HEAD];
}

/*
 * An id: below, where the stack is in its table; above, as much of the epoch's number as there is room for in 31 bits.
 * The last bit is for users of ids.
 */
static INLINE u32 stack_id(u32 bits, u32 epoch, u64 place)
{
	return ((epoch << (bits + STACK_WORD_BITS)) | (u32)place) & ~(1u << 31);
}

/* Can @id be of @epoch? */
static INLINE bool stack_is_of(u32 bits, u32 epoch, u32 id)
{
	return !((stack_id(bits, epoch, 0) ^ id) >> (bits + STACK_WORD_BITS));
}

/* The stack @id, which stacktable_put() of this table gave out; NULL if it cannot be. */
static inline const u64 *stacktable_get(const struct stacktable *t, u32 id, u32 *nr)
{
	return stacktable_at(t, id & (stacktable_words(t->bits) - 1), nr);
}

/* The id of the stack in slot @i, or 0: the slot is empty. */
static inline u32 stacktable_id(const struct stacktable *t, u64 i)
{
	u64 slot = load_acquire(&t->word[i]);

	return slot ? stack_id(t->bits, t->epoch, slot & STACK_PLACE) : 0;
}

/* How many events have the stack @id, as far as it counts them itself (references.h). */
static inline u64 stacktable_refs(const struct stacktable *t, u32 id)
{
	return load_relaxed(&t->word[(id & (stacktable_words(t->bits) - 1)) + 1]) >> STACK_REF;
}
