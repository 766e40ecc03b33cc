/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Does a stack get one id, in whatever order three insert it at once, or others that fall on the same slots; and is
 * what an id leads to whole from the moment that the slot shows it?
 *
 * And would we notice? The same with a slot that is written without looking whether somebody was faster.
 */
#define COUNTERS_COMMUTE	/* the number of words given out, and of stacks */
#include "explore.h"
#include "core/stacktable.c"

#define INSERTERS 3
#define FRAMES 2

static struct stacktable table;
static struct stack stack[INSERTERS];
static u32 id[INSERTERS];
static int err[INSERTERS];
static bool all_alike, careless, torn;

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
	memset(table.word, 0, 64 * sizeof(table.word[0]));
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

static void thread(u32 me)
{
	u64 seen = load_acquire(&table.slot[stack[0].hash & (STACK_SLOTS - 1)]);	/* as user space might */

	if (seen && !leads_to((u32)seen, &stack[0]) && !leads_to((u32)seen, &stack[INSERTERS - 1]))
		torn = true;
	err[me] = careless ? put_carelessly(&stack[me], &id[me]) : stacktable_put(&table, &stack[me], &id[me]);
}

static bool is_right(void)
{
	if (torn || table.stacks != (all_alike ? 1 : 2))
		return false;
	for (u32 i = 0; i < INSERTERS; i++) {
		if (err[i] || !leads_to(id[i], &stack[i]))
			return false;
		for (u32 j = 0; j < i; j++)
			if ((id[i] == id[j]) != (stack[i].frame[0] == stack[j].frame[0]))
				return false;
	}
	return true;
}

int main(void)
{
	struct model m = { INSERTERS, thread, NULL, reset, is_right };
	struct explored alike, mixed, lost;

	all_alike = true;
	alike = explore(&m);
	all_alike = false;
	mixed = explore(&m);
	all_alike = careless = true;
	lost = explore(&m);
	printf("%sok 1 - three who insert one stack get one id (%lu orders, %lu wrong)\n", alike.wrong ? "not " : "",
	       alike.orders, alike.wrong);
	printf("%sok 2 - another stack with the same hash gets another (%lu orders, %lu wrong)\n",
	       mixed.wrong ? "not " : "", mixed.orders, mixed.wrong);
	printf("%sok 3 - without compare-and-swap, some would get two (%lu orders, %lu wrong)\n1..3\n",
	       lost.wrong ? "" : "not ", lost.orders, lost.wrong);
	return alike.wrong || mixed.wrong || !lost.wrong;
}
