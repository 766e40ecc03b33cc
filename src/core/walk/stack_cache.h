/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which stack was it, when a task stood here before?
 *
 * One table for all tasks: direct-mapped, so that it forgets by itself, and its size does not depend on how many there
 * are. An entry tells the stack of a process with these mappings, at this instruction and stack pointer, as long as all
 * holds that the walk depended on: the initial registers that it used, and the words that it read (read_log.h).
 *
 * Guarded like the row cache: odd while somebody writes; nobody waits.
 */
#pragma once
#include "core/walk/step.h"

#define STACK_CACHE_ENTRIES 2048

/* Whose stack, and where it stood. */
struct stack_cache_key {
	u64 mm, start_boottime; /* the memory, and since when the process has lived: it is used again */
	u64 ip, sp;
	u32 exec_id, mm_sequence; /* execve() and changes of mappings so far */
};

struct cached_stack {
	u32 sequence, stack;
	struct stack_cache_key key;
	u32 used, pad; /* registers, a bit each */
	u64 reg[NR_SAVED];
	struct read_log reads;
};

extern struct cached_stack stack_cache[STACK_CACHE_ENTRIES];

/*
 * The id of the stack of @key, with these registers (by DWARF number); 0: not known. Reads the stack, to @now, by
 * port_peek(). Any context, constant time.
 */
CORE u32 stack_cache_find(const struct stack_cache_key *key, const u64 *reg, struct stack_snapshot *now);

/* @t is how the walk from @reg came to @stack. Kept if it can be. */
CORE void stack_cache_put(const struct stack_cache_key *key, const u64 *reg, struct walk_trace *t, u32 stack);
