/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The stack cache: stacks of tasks by all that their walks depended on.
 *
 * There is one table for all tasks. It is direct-mapped, so that new entries replace old ones, and its size does not
 * depend on how many tasks there are. An entry holds the stack of a process with these mappings, at this instruction
 * and stack pointer. It is valid as long as all that the walk depended on is unchanged: the initial registers that it
 * used, and the words that it read (read_log.h).
 * An entry that is being written is a miss (seqcount.h).
 */
#pragma once
#include "core/seqcount.h"
#include "core/walk/step.h"

#define STACK_CACHE_ENTRIES 2048

/* The process of the stack, and where it was. */
struct stack_cache_key {
	u64 mm, start_boottime; /* the memory; and the process's start, as addresses of memory are reused */
	u64 ip, sp;
	u32 exec_id, mm_sequence; /* counts of execve() and of changes of mappings */
};

struct cached_stack {
	u32 sequence, stack;
	struct stack_cache_key key;
	u32 used, pad; /* the registers that the walk used, a bit each */
	u64 reg[NR_DEPENDS];
	struct read_log reads;
};

extern struct cached_stack stack_cache[STACK_CACHE_ENTRIES];

/*
 * Find the id of the stack of @key, with the registers @reg (by DWARF number); 0: unknown. Reads the stack, to @now, by
 * port_peek(). Any context, constant time.
 */
CORE u32 stack_cache_find(const struct stack_cache_key *key, const u64 *reg, struct stack_snapshot *now);

/* Cache @stack, if possible: @t is the trace of the walk from @reg that led to it. */
CORE void stack_cache_put(const struct stack_cache_key *key, const u64 *reg, struct walk_trace *t, u32 stack);
