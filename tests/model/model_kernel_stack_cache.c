/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Does a look-up in the kernel stack cache never find a mixture of two entries, in whatever order one task looks for
 * its stack and two others store theirs, on several CPUs or as interrupts of each other?
 *
 * Each of a stack's addresses is its id here: 1 or 2. The stack that is looked up has them mixed, or all 1: then no
 * stack may be found, or that one.
 *
 * And would we notice? The same with writers that are not marked.
 */
#include "explore.h"
#include "core/walk/read_log.c"
#include "core/shared/kernel_stack_cache.c"

#define THREADS 3
#define FRAMES 2 /* that are compared */
#define ENTRY 0

static bool not_odd;
static enum role { LOOKS, PUTS_1, PUTS_2 } role[THREADS];
static u64 input[FRAMES]; /* of who looks */

static struct kernel_set *set; /* all use it */
static struct kernel_copy copy[THREADS];
static struct stack stack[THREADS];
static u32 found;

static const struct kernel_key key = {ENTRY, KERNEL_SYSCALL, .outer = 1};

static void wrongly_put(struct kernel_copy *c, u32 id)
{
	struct cached_kernel_stack *m = &set->way[0];

	m->key = key;
	m->stack = id;
	read_log_copy(&m->reads, &c->reads);
	fetch_add(&m->sequence, 2);
}

static void put(u32 me, u32 id)
{
	struct kernel_copy *c = &copy[me];
	struct stack *s = &stack[me];

	c->words = FRAMES;
	read_log_clear(&c->reads);
	s->nr = FRAMES + 1; /* the outermost frame of a system call is not compared */
	for (u32 i = 0; i < FRAMES; i++) {
		s->frame[i] = c->now.word[i] = id + 16 * i;
		read_log_add(&c->reads, i * sizeof(u64), c->now.word[i]);
	}
	if (not_odd)
		wrongly_put(c, id);
	else
		kernel_stack_cache_put(&key, s, c, id);
}

static void look(u32 me)
{
	copy[me].words = FRAMES;
	for (u32 i = 0; i < FRAMES; i++)
		copy[me].now.word[i] = input[i] + 16 * i;
	found = kernel_stack_cache_find(&key, &copy[me]);
}

static void reset(void)
{
	memset(set, 0, sizeof(*set));
	found = 0;
	put(0, 1);
	set->turn = 0;
}

static void thread(u32 me)
{
	if (role[me] == LOOKS)
		look(me);
	else
		put(me, role[me] == PUTS_1 ? 1 : 2);
}

static bool is_right(void)
{
	for (u32 i = 0; i < FRAMES; i++)
		if (found && input[i] != found)
			return false;
	for (u32 i = 0; i < 2; i++) {
		const struct cached_kernel_stack *m = &set->way[i];

		if (m->sequence & 1)
			return false;
		for (u32 n = 0; n < FRAMES; n++)
			if (m->stack && m->reads.word[n] != m->stack + 16 * n)
				return false;
	}
	return set->way[0].stack;
}

static void choose(enum role first, enum role second, enum role third)
{
	role[0] = first;
	role[1] = second;
	role[2] = third;
}

static void mix(u64 low, u64 high)
{
	input[0] = low;
	input[1] = high;
}

int main(void)
{
	struct model m = {THREADS, thread, NULL, reset, is_right, .each_access = true};

	set = kernel_set_of(&key);
	m.part[0].at = set;
	m.part[0].bytes = offsetof(struct kernel_set, way[1].reads.word[READ_LOG_STEP]);
	m.part[1].at = &found;
	m.part[1].bytes = sizeof(found);
	for (u32 i = 0; i < THREADS; i++) {
		m.part[2 + i].at = &copy[i].reads;
		m.part[2 + i].bytes = offsetof(struct read_log, word[READ_LOG_STEP]);
		m.part[5 + i].at = &copy[i].now.differs;
		m.part[5 + i].bytes = sizeof(copy[i].now.differs);
	}

	choose(LOOKS, PUTS_2, PUTS_1);
	mix(1, 1);
	explore_holds(&m, "a look-up of a stack that is cached finds that stack or none");
	mix(1, 2);
	explore_holds(&m, "a look-up with addresses of two finds none");
	m.cpu[0] = m.cpu[1] = m.cpu[2] = 1;
	explore_holds(&m, "if a writer interrupts it, and another one that writer");
	mix(2, 1);
	explore_holds(&m, "whichever of them comes last");
	choose(PUTS_2, LOOKS, PUTS_1);
	explore_holds(&m, "or if it interrupts a writer");
	choose(PUTS_2, PUTS_1, LOOKS);
	explore_holds(&m, "or one that has interrupted another");
	not_odd = true;
	mix(1, 2);
	explore_catches(&m, "a look-up in an interrupt of a writer that is not marked would find a mixed stack");
	return explore_done();
}
