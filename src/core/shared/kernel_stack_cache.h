/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which kernel stack was it, when a task had left the CPU here before?
 *
 * Unwinding a kernel stack takes the kernel longer than all else that an off-CPU interval costs. So where its return
 * addresses lie is remembered, as distances from the stack pointer that the task left with, by system call; and if each
 * is still there, it is the same stack.
 *
 * The kernel's unwinder does not tell where it read an address. The place is taken if there is only one way to find
 * all of them in the stack, in their order: a second one, left over from an earlier call, could be the true one. A
 * system call's stack ends for us with the address in do_syscall_64(), whose frame has a random size, and which only
 * the entry code calls; in other stacks the outermost address is compared, too, and the depth of the stack: two
 * interrupts may differ in nothing else. A function that moves its frame (alloca()) may still deceive us, so who uses
 * this walks again now and then, and stops if that differs.
 */
#pragma once
#include "core/walk/read_log.h"
#include "core/stack.h"

#define KERNEL_SETS 64
#define KERNEL_WAYS 4
#define KERNEL_SYSCALL 0 /* the depth of a system call's stack is not compared */

struct kernel_key {
	u64 entry; /* the system call, or how else the kernel was entered */
	u32 depth; /* bytes from the stack pointer to the user's registers, or KERNEL_SYSCALL */
	u32 inner; /* frames that are the switch's own, and not looked for */
};

struct cached_kernel_stack {
	u32 sequence, stack;
	struct kernel_key key;
	struct read_log reads;
};

struct kernel_set {
	u32 span; /* words to read: the largest of any way */
	u32 turn; /* the way to forget next */
	struct cached_kernel_stack way[KERNEL_WAYS];
};

/* A stack as it is, from the pointer that the task left with. */
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
 * The id of the kernel stack of @key; 0: not known. @copy: kernel_set_of(@key)->span words of it, or as many as there
 * are. Any context, constant time.
 */
CORE u32 kernel_stack_cache_find(const struct kernel_key *key, struct kernel_copy *copy);

/*
 * @s, innermost first, was walked where @copy is of, and has the id @stack. Both are whole: of a part of the stack the
 * places would not be certain. Remember it if that is possible.
 */
CORE void kernel_stack_cache_put(const struct kernel_key *key, const struct stack *s, struct kernel_copy *copy,
				 u32 stack);
