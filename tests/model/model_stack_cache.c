/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Does a look-up in the stack cache never find a mixture of two entries, in whatever order one task looks for its stack
 * and two others store theirs in the same place, on several CPUs or as interrupts of each other?
 *
 * All of a walk's inputs are numbers here: of the one walk all are 1, and so is its stack; of the other all are 2. The
 * look-up has them mixed, or all 1: then it may find no stack, or that one.
 *
 * And would we notice? The same without odd numbers, without a second look, and with two writers at the same time.
 */
#include "explore.h"
#include "core/walk/read_log.c"
#include "core/walk/stack_cache.c"

#define THREADS 3
#define WORDS 2 /* that a walk reads */
#define SP 0x1000

static enum mutation { NONE, NOT_ODD, NO_SECOND_LOOK, TWO_WRITERS } mutation;
static enum role { LOOKS, PUTS_1, PUTS_2 } role[THREADS];

/* The inputs of who looks: exec id, rbp, words. */
static u32 input[2 + WORDS];

static struct cached_stack *entry; /* all use it */
static struct stack_snapshot copy[THREADS];
static u32 found;

int port_peek(void *dst, u32 len, u64 addr)
{
	u64 *to = dst;

	for (u32 i = 0; i < len / sizeof(u64); i++)
		to[i] = input[2 + i];
	return 0;
}

static struct stack_cache_key key_of(u32 exec_id)
{
	return (struct stack_cache_key){.sp = SP, .exec_id = exec_id};
}

static void wrongly_put(const struct stack_cache_key *key, const u64 *reg, struct walk_trace *t, u32 stack)
{
	struct cached_stack *m = cached_stack_of(key);
	u32 sequence = load_relaxed(&m->sequence);

	if (mutation == TWO_WRITERS) {
		if (sequence & 1)
			return;
		store_release(&m->sequence, sequence + 1);
	}
	m->key = *key;
	m->stack = stack;
	m->used = t->used;
	m->reg[SLOT_FP] = reg[REG_FP];
	read_log_copy(&m->reads, &t->reads);
	store_release(&m->sequence, sequence + 2);
}

static u32 wrongly_find(const struct stack_cache_key *key, const u64 *reg, struct stack_snapshot *now)
{
	struct cached_stack *m = cached_stack_of(key);

	if (load_acquire(&m->sequence) & 1 || !same_key(&m->key, key) || !same_registers(m, reg))
		return 0;
	port_peek(now->word, WORDS * sizeof(u64), SP);
	return read_log_holds(&m->reads, now) ? m->stack : 0;
}

static void put(u32 n)
{
	struct walk_trace t = {.used = 1 << REG_FP};
	struct stack_cache_key key = key_of(n);
	u64 reg[NR_REGS] = {[REG_FP] = n};

	for (u32 i = 0; i < WORDS; i++)
		read_log_add(&t.reads, i * sizeof(u64), n);
	if (mutation == NOT_ODD || mutation == TWO_WRITERS)
		wrongly_put(&key, reg, &t, n);
	else
		stack_cache_put(&key, reg, &t, n);
}

static u32 look(struct stack_snapshot *now)
{
	struct stack_cache_key key = key_of(input[0]);
	u64 reg[NR_REGS] = {[REG_FP] = input[1]};

	return mutation == NO_SECOND_LOOK ? wrongly_find(&key, reg, now) : stack_cache_find(&key, reg, now);
}

static void reset(void)
{
	struct stack_cache_key key = key_of(1);

	entry = cached_stack_of(&key);
	memset(entry, 0, sizeof(*entry));
	found = 0;
	put(1);
}

static void thread(u32 me)
{
	switch (role[me]) {
	case LOOKS: found = look(&copy[me]); break;
	case PUTS_1: put(1); break;
	case PUTS_2: put(2);
	}
}

static bool is_mine(u32 id)
{
	for (u32 i = 0; i < COUNT(input); i++)
		if (id && input[i] != id)
			return false;
	return true;
}

/* What is there in the end is of one of them. */
static bool is_whole(void)
{
	u32 n = entry->stack;
	bool whole = n && !(entry->sequence & 1) && entry->key.exec_id == n && entry->reg[SLOT_FP] == n;

	for (u32 i = 0; i < WORDS; i++)
		whole &= entry->reads.word[i] == n;
	return whole;
}

static bool is_right(void)
{
	return is_mine(found) && is_whole();
}

static void choose(enum role first, enum role second, enum role third)
{
	role[0] = first;
	role[1] = second;
	role[2] = third;
}

static void mix(u32 exec_id, u32 rbp, u32 low, u32 high)
{
	memcpy(input, (u32[]){exec_id, rbp, low, high}, sizeof(input));
}

int main(void)
{
	struct model m = {THREADS, thread, NULL, reset, is_right, .each_access = true};
	struct stack_cache_key key = key_of(1);

	entry = cached_stack_of(&key);
	m.part[0].at = entry;
	m.part[0].bytes = offsetof(struct cached_stack, reads.word[READ_LOG_STEP]);
	m.part[1].at = &found;
	m.part[1].bytes = sizeof(found);

	choose(LOOKS, PUTS_2, PUTS_1);
	mix(1, 1, 1, 1);
	explore_holds(&m, "a look-up of a stack that is cached finds that stack or none");
	mix(1, 1, 1, 2);
	explore_holds(&m, "a look-up with words of two finds none");
	mix(2, 2, 2, 1);
	explore_holds(&m, "whichever of them comes last");
	mix(1, 2, 1, 1);
	explore_holds(&m, "nor does one with the register of another");
	mix(2, 1, 1, 1);
	explore_holds(&m, "nor one of another process");
	m.cpu[0] = m.cpu[1] = m.cpu[2] = 1;
	for (u32 i = 0; i < 4; i++) {
		mix(1 + (i == 0), 1 + (i == 1), 1 + (i == 2), 1 + (i == 3));
		explore_holds(&m, "if a writer interrupts it, and another one that writer");
	}
	choose(PUTS_2, LOOKS, PUTS_1);
	mix(1, 1, 2, 1);
	explore_holds(&m, "or if it interrupts a writer");
	choose(PUTS_2, PUTS_1, LOOKS);
	explore_holds(&m, "or one that has interrupted another");

	mutation = NOT_ODD;
	explore_catches(&m, "a look-up in an interrupt of a writer that is not marked would find a mixed stack");
	mutation = NO_SECOND_LOOK;
	choose(LOOKS, PUTS_2, PUTS_1);
	mix(1, 1, 1, 2);
	explore_catches(&m, "without a second look, a look-up that is interrupted would find a mixed stack");
	memset(m.cpu, 0, sizeof(m.cpu));
	mutation = TWO_WRITERS;
	choose(PUTS_2, PUTS_1, LOOKS);
	m.threads = 2;
	explore_catches(&m, "two writers at the same time would leave a mixed one");
	return explore_done();
}
