/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Does a stack get one id, in whatever order three insert it at once, or others that fall on the same slots, on several
 * CPUs or as interrupts of each other; and is what an id leads to whole from the moment that the slot shows it?
 *
 * And would we notice? The same with a slot that is written without checking whether another writer was faster.
 */
#include "explore.h"
#include "core/shared/stacktable.c"

#define INSERTERS 3
#define NOBODY INSERTERS
#define FRAMES 2
#define TABLE_BITS 1 /* 128 words, of which 4 are slots */

static struct {
	struct stacktable head;
	u64 word[(2 << STACK_WORD_BITS) + STACK_SPARE_BYTES / sizeof(u64)];
} memory;
#define table memory.head

static u64 room; /* words that are left; 0: all */
static struct stack stack[INSERTERS];
static u32 id[INSERTERS];
static int err[INSERTERS];
static bool all_alike, careless, torn;
static u32 reader = NOBODY; /* who does not insert */

/* Two frames; the second undoes what the first one did to the hash (FNV-1a), so that all are put to the same slots. */
static void make(struct stack *s, u64 n)
{
	u64 first = (0xcbf29ce484222325ULL ^ n) * 0x100000001b3ULL;

	s->nr = FRAMES;
	s->frame[0] = n;
	s->frame[1] = first ^ 0x1234567;
}

static void reset(void)
{
	memset(&memory, 0, sizeof(memory));
	table.bits = TABLE_BITS;
	for (u32 i = 0; i < INSERTERS; i++) {
		make(&stack[i], all_alike || i < 2 ? 1 : 2);
		id[i] = 0;
		err[i] = -EAGAIN;
	}
	hash(&table, &stack[0]);
	if (room)
		table.used = stacktable_words(TABLE_BITS) - stacktable_slots(TABLE_BITS) - room;
	torn = false;
}

/* The mutation: look, then write. */
static int put_carelessly(struct stack *s, u32 *ret)
{
	u64 *slot;

	hash(&table, s);
	slot = &table.word[s->hash & (stacktable_slots(TABLE_BITS) - 1)];
	if (!load_acquire(slot)) {
		write(&table, s);
		store_release(slot, (s->hash & ~STACK_PLACE) | s->written);
		fetch_add(&table.stacks, 1);
		*ret = s->written;
	} else {
		*ret = *slot & STACK_PLACE;
	}
	return 0;
}

static bool leads_to(u32 which, const struct stack *s)
{
	u32 nr = 0;
	const u64 *frame = stacktable_get(&table, which, &nr);

	return frame && nr == s->nr && frame[0] == s->frame[0] && frame[1] == s->frame[1];
}

static void look(void)
{
	u32 seen = stacktable_id(&table, stack[0].hash & (stacktable_slots(TABLE_BITS) - 1));

	if (seen && !leads_to(seen, &stack[0]) && !leads_to(seen, &stack[INSERTERS - 1]))
		torn = true;
}

/* Each looks before it inserts, and the reader only looks, as user space does. */
static void thread(u32 me)
{
	look();
	if (me == reader)
		err[me] = 0;
	else
		err[me] =
			careless ? put_carelessly(&stack[me], &id[me]) : stacktable_put(&table, &stack[me], 0, &id[me]);
}

/* There was room for one: who got an id got it rightly, the others know why not, and nothing of theirs is left. */
static bool is_right_when_full(void)
{
	u32 found = 0;

	for (u32 i = 0; i < INSERTERS; i++) {
		if (err[i] && err[i] != -ENOSPC)
			return false;
		if (!err[i] && !leads_to(id[i], &stack[i]))
			return false;
		found += !err[i];
	}
	for (u64 i = 0; i < stacktable_slots(TABLE_BITS); i++)
		if (stacktable_id(&table, i) && !leads_to(stacktable_id(&table, i), &stack[0]) &&
		    !leads_to(stacktable_id(&table, i), &stack[INSERTERS - 1]))
			return false;
	return !torn && found && table.stacks == 1 && table.counts[0].full == INSERTERS - found;
}

static bool is_right(void)
{
	u64 refs = 0, inserters = INSERTERS - (reader != NOBODY);

	if (room)
		return is_right_when_full();
	if (torn || table.stacks != (all_alike ? 1 : 2))
		return false;
	for (u64 i = 0; i < stacktable_slots(TABLE_BITS); i++)
		if (stacktable_id(&table, i))
			refs += stacktable_refs(&table, stacktable_id(&table, i));
	if (refs != inserters)
		return false;
	for (u32 i = 0; i < INSERTERS; i++) {
		if (i == reader)
			continue;
		if (err[i] || !leads_to(id[i], &stack[i]))
			return false;
		for (u32 j = 0; j < i; j++)
			if ((id[i] == id[j]) != (stack[i].frame[0] == stack[j].frame[0]))
				return false;
	}
	return true;
}

/* What of a stack is used. */
#define STACK_PART(i) {&stack[i], offsetof(struct stack, frame[FRAMES])}

int main(void)
{
	struct model m = {
		INSERTERS,
		thread,
		NULL,
		reset,
		is_right,
		.part =
			{
				PART(memory.word),
				PART(table.used),
				PART(table.stacks),
				PART(table.counts[0]),
				STACK_PART(0),
				STACK_PART(1),
				STACK_PART(2),
				PART(id),
				PART(err),
				PART(torn),
			},
	};

	all_alike = true;
	explore_holds(&m, "three writers that insert one stack get one id");
	all_alike = false;
	explore_holds(&m, "another stack with the same hash gets another");
	room = STACK_HEAD + FRAMES;
	explore_holds(&m,
		      "where there is room for one, one of them or its equals get an id, and the others the reason");
	room = 0;
	all_alike = m.each_access = true;
	reader = INSERTERS - 1;
	explore_holds(&m, "a reader finds a complete stack or none, whatever was written so far");
	reader = NOBODY;
	m.cpu[0] = m.cpu[1] = m.cpu[2] = 1;
	explore_holds(&m, "interrupts at any instruction of an insertion that insert the same get the same id");
	all_alike = false;
	explore_holds(&m, "or another, if they insert another");
	careless = true;
	explore_catches(&m, "without compare-and-swap, even they would go wrong");
	m.each_access = false;
	memset(m.cpu, 0, sizeof(m.cpu));
	all_alike = true;
	explore_catches(&m, "and one stack would get two ids");
	return explore_done();
}
