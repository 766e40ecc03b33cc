/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A cache of kernel stacks of tasks that leave the CPU.
 *
 * To unwind a kernel stack takes the kernel longer than everything else that an off-CPU interval costs. So the cache
 * holds, by system call, where the return addresses are, as distances from the stack pointer with which the task left.
 * If each of them is still there, it is the same stack.
 *
 * core/arch/kernel_places.h finds the places, and says why they are certain. Of a system call's stack the function that leaves out
 * some of it at random is the last to be compared: those that call it follow. Of other stacks the outermost address is
 * compared, too, and the depth of the stack: two interrupts may differ in nothing else. The caller walks again now and
 * then, and stops using the cache if the result differs.
 */
#pragma once
#include "core/seqcount.h"
#include "core/stack.h"
#include "core/walk/read_log.h"

#define KERNEL_SETS 64
#define KERNEL_WAYS 4
#define KERNEL_SYSCALL 0 /* the depth of a system call's stack is not compared */

struct kernel_key {
	u64 entry; /* the system call, or how else the kernel was entered */
	u32 depth; /* bytes from the stack pointer to the user's registers, or KERNEL_SYSCALL */
	u32 inner; /* innermost frames, of the task switch itself, that are not looked for */
	u32 outer; /* outermost frames that follow from their callee, and are not looked for either */
	u32 pad;
};

struct cached_kernel_stack {
	u32 sequence, stack;
	struct kernel_key key;
	struct read_log reads;
};

struct kernel_set {
	u32 span; /* words to read: the most of any way */
	u32 turn; /* the way to replace next */
	struct cached_kernel_stack way[KERNEL_WAYS];
};

/* A stack as it is now, from the stack pointer with which the task left. */
struct kernel_copy {
	struct stack_snapshot now;
	u64 sp;
	u32 words; /* that were read */
	/* working space of kernel_stack_cache_put(), for core/arch/kernel_places.h */
	u32 next, last; /* frames: the one to look for, and where to end */
	u32 place, times, begin;
	struct read_log reads;
};

extern struct kernel_set kernel_sets[KERNEL_SETS];

static INLINE struct kernel_set *kernel_set_of(const struct kernel_key *key)
{
	return &at(kernel_sets, key->entry * 0x9E3779B97F4A7C15ULL >> 58);
}

/*
 * Find the id of the kernel stack of @key; 0: unknown. @copy: kernel_set_of(@key)->span words of the stack, or as many
 * as there are. Any context, constant time.
 */
CORE u32 kernel_stack_cache_find(const struct kernel_key *key, struct kernel_copy *copy);

/*
 * Cache, if possible, the stack @s, innermost first, which was walked where @copy was taken, under the id @stack. Both
 * must be complete: with a part of the stack the places would not be certain.
 */
CORE void kernel_stack_cache_put(const struct kernel_key *key, const struct stack *s, struct kernel_copy *copy,
				 u32 stack);
