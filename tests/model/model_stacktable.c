/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Does a stack get one id, in whatever order three insert it at once, or others that fall on the same slots, on several
 * CPUs or as interrupts of each other; and is what an id leads to whole from the moment that the slot shows it?
 *
 * And would we notice? The same with a slot that is written without looking whether somebody was faster.
 */
#include "explore.h"
#include "core/stacktable.c"

#define INSERTERS 3
#define NOBODY INSERTERS
#define FRAMES 2
#define USED_WORDS 64			/* of the table */

static struct stacktable table;
static struct stack stack[INSERTERS];
static u32 id[INSERTERS];
static int err[INSERTERS];
static bool all_alike, careless, torn;
static u32 reader = NOBODY;		/* who does not insert */

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
	make(&stack[0], 1);
	hash(&stack[0]);
	for (u32 i = 0; i < INSERTERS; i++) {
		table.slot[(stack[0].hash + i) & (STACK_SLOTS - 1)] = 0;
		make(&stack[i], all_alike || i < 2 ? 1 : 2);
		id[i] = 0;
		err[i] = -EAGAIN;
	}
	memset(table.word, 0, USED_WORDS * sizeof(table.word[0]));
	table.used = table.stacks = 0;
	torn = false;
}

/* The mutation: look, then write. */
static int put_carelessly(struct stack *s, u32 *ret)
{
	u64 *slot;

	hash(s);
	slot = &table.slot[s->hash & (STACK_SLOTS - 1)];
	if (!load_acquire(slot)) {
		write(&table, s);
		store_release(slot, (s->hash & ~0xffffffffULL) | s->written);
		fetch_add(&table.stacks, 1);
		*ret = s->written;
	} else {
		*ret = (u32)*slot;
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
	u64 seen = load_acquire(&table.slot[stack[0].hash & (STACK_SLOTS - 1)]);

	if (seen && !leads_to((u32)seen, &stack[0]) && !leads_to((u32)seen, &stack[INSERTERS - 1]))
		torn = true;
}

/* Each looks before it inserts, and the reader only looks, as user space does. */
static void thread(u32 me)
{
	look();
	if (me == reader)
		err[me] = 0;
	else
		err[me] = careless ? put_carelessly(&stack[me], &id[me]) : stacktable_put(&table, &stack[me], &id[me]);
}

static bool is_right(void)
{
	if (torn || table.stacks != (all_alike ? 1 : 2))
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
#define STACK_PART(i) { &stack[i], offsetof(struct stack, frame[FRAMES]) }

int main(void)
{
	struct model m = {
		INSERTERS, thread, NULL, reset, is_right,
		.part = {
			{ 0 }, { table.word, USED_WORDS * sizeof(u64) }, PART(table.used), PART(table.stacks),
			STACK_PART(0), STACK_PART(1), STACK_PART(2), PART(id), PART(err), PART(torn),
		},
	};

	reset();
	m.part[0].at = &table.slot[stack[0].hash & (STACK_SLOTS - 1)];
	m.part[0].bytes = INSERTERS * sizeof(u64);
	assert((u64 *)m.part[0].at + INSERTERS <= table.slot + STACK_SLOTS);

	all_alike = true;
	explore_holds(&m, "three who insert one stack get one id");
	all_alike = false;
	explore_holds(&m, "another stack with the same hash gets another");
	all_alike = m.each_access = true;
	reader = INSERTERS - 1;
	explore_holds(&m, "who reads meanwhile finds a whole stack or none, whatever was written so far");
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
