/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Is each reference to a cached stack counted once, in whatever order a task, two interrupts on top of it and of each
 * other, and another CPU count references to stacks that share a place?
 */
#include "explore.h"
#include "core/shared/references.h"
#include "core/shared/stacktable.c"

#define TABLE_BITS 1 /* 128 words, of which 4 are slots */
#define COUNTERS 4
#define FIRST 4	  /* ids, which are places: behind the slots */
#define SECOND 93 /* counted at the same place as the first */

static struct {
	struct stacktable head;
	u64 word[2 << STACK_WORD_BITS];
} memory;
static struct again_row rows[AGAIN_ROWS];
#define table memory.head

static const u32 id[COUNTERS] = {FIRST, SECOND, FIRST, SECOND}, cpu[COUNTERS] = {0, 0, 0, 1};
static bool first_is_there; /* the place is taken when it begins */

static void reset(void)
{
	memset(&memory, 0, sizeof(memory));
	memset(rows, 0, sizeof(rows));
	table.bits = TABLE_BITS;
	if (first_is_there)
		rows[0].count[again_way(FIRST)] = (u64)FIRST << 32 | 10;
}

static void thread(u32 me)
{
	u64 again = again_count(&rows[cpu[me]], id[me], 1 + me);

	if (again)
		stacktable_refer(&table, again >> 32, again);
}

static u64 references(u32 stack)
{
	return stacktable_refs(&table, stack) + again_references(rows, stack);
}

static bool is_right(void)
{
	return references(FIRST) == (first_is_there ? 10 : 0) + 1 + 3 && references(SECOND) == 2 + 4;
}

int main(void)
{
	struct model m = {
		COUNTERS, thread, NULL, reset, is_right, .cpu = {1, 1, 1, 2}, .part = {PART(memory), PART(rows)}};

	assert(again_way(FIRST) == again_way(SECOND));
	explore_holds(&m, "references to stacks that share a place are all counted");
	first_is_there = true;
	explore_holds(&m, "also if the place is taken already");
	return explore_done();
}
