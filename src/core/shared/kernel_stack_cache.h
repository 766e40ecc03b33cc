/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A cache of kernel stacks of tasks that leave the CPU.
 *
 * To unwind a kernel stack takes the kernel longer than everything else that an off-CPU interval costs. So the cache
 * holds, by system call, where the return addresses are, as distances from the stack pointer with which the task left.
 * If each of them is still there, it is the same stack.
 *
 * The kernel's unwinder does not tell where it read an address. Places are accepted if there is only one way to find
 * all addresses in the stack, in their order: with two ways, one could be left over from an earlier call. Of a system
 * call's stack the address in do_syscall_64() is the last to be compared: that function's frame has a random size, and
 * only the entry code calls it. Of other stacks the outermost address is compared, too, and the depth of the stack: two
 * interrupts may differ in nothing else. A function that moves its frame (alloca()) may still lead to a wrong match, so
 * the caller walks again now and then, and stops using the cache if the result differs.
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
	u32 words, pad;	       /* that were read */
	struct read_log reads; /* working space of kernel_stack_cache_put() */
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
