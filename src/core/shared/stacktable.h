/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The stack table: each distinct stack once, under a 4-byte id. It is written from any context, and read by user space
 * at the same time.
 *
 * It is one array of words: slots first, then the stacks. A stack is kept as hash, length and frames, at its own
 * length; its id says where it begins. A slot is one word as well: the hash's upper part and the place. So a stack is
 * written first, where no reader looks yet, and then published by one compare-and-swap of its slot: it is never visible
 * in part, and no CPU has to wait.
 *
 * A CPU that loses that race looks at what the winner put there. All insertions of a stack try the same slots in the
 * same order (its own, and 1, 3, 6, 10... behind it, so that full ones do not pile up), and slots are never emptied, so
 * a stack cannot get two ids. A stack that does not fit leaves no trace in a full table.
 *
 * Both sides of the kernel/user border use it as it is, since it has indices and no pointers. A table is never emptied:
 * a fresh one takes its place (epochs.h), and ids say from which table they are.
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
#define STACK_SPARE_BYTES 32 /* behind the words: the verifier does not know that frames end before them */
#define STACK_PLACE ((1ULL << (STACK_MAX_BITS + STACK_WORD_BITS)) - 1) /* in a slot; the other bits are the hash's */

/* Classes of how many slots were looked at: 1, 2, 3, 4, up to 8, 16, 24, 32. */
#define STACK_LENGTHS 8
#define STACK_ROWS 64 /* CPUs with higher numbers share them; a power of two */

struct stack_counts {
	u64 found[STACK_LENGTHS]; /* stacks that got an id, by the slots looked at */
	u64 full, crowded;	  /* stacks that got none: no room for the frames; STACK_PROBES slots taken */
	u64 raced;		  /* written in vain, as another CPU published the same first: lost room */
	u64 given;		  /* all references; set in sums of rows only, rows do not count them */
	u64 pad[4];
};

struct stacktable {
	u32 bits, epoch; /* set before the table is visible to others, as is @seed */
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
 * Get the id of @s, never 0, and add the stack if it is new; uses @s's working space. Returns 0; -ENOSPC: there is no
 * room; -EBUSY: STACK_PROBES slots are taken; -E2BIG: longer than MAX_DEPTH. Known stacks are found in a full table,
 * too. @cpu chooses the counters. Any context; never sleeps, waits or allocates.
 */
CORE int stacktable_put(struct stacktable *t, struct stack *s, u32 cpu, u32 *ret);

/* Count @n more events with the stack @id; does nothing if the id cannot be one of this table. Any context. */
CORE void stacktable_refer(struct stacktable *t, u32 id, u32 n);

/*
 * Return the frames of the stack at @place, an index of the table's words, and in *@nr how many. NULL if no stack can
 * be there. What it returns does not change.
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
 * Make an id: its low bits are the stack's place in its table, above are as many bits of the epoch's number as fit in
 * 31 bits. The last bit is for users of ids.
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

/* Return the stack @id, which stacktable_put() of this table gave out; NULL if it cannot be one. */
static inline const u64 *stacktable_get(const struct stacktable *t, u32 id, u32 *nr)
{
	return stacktable_at(t, id & (stacktable_words(t->bits) - 1), nr);
}

/* Return the id of the stack in slot @i; 0: the slot is empty. */
static inline u32 stacktable_id(const struct stacktable *t, u64 i)
{
	u64 slot = load_acquire(&t->word[i]);

	return slot ? stack_id(t->bits, t->epoch, slot & STACK_PLACE) : 0;
}

/* Return how many events have the stack @id, as far as it counts them itself (references.h). */
static inline u64 stacktable_refs(const struct stacktable *t, u32 id)
{
	return load_relaxed(&t->word[(id & (stacktable_words(t->bits) - 1)) + 1]) >> STACK_REF;
}
