/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Stacks of system calls that a test lays out, for the kernel stack cache. */
#pragma once
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "test_kernel_frame.h"

#define READ 0 /* a system call */
#define NO_SYSCALL (1ULL << 32)
#define INNER 1
#define OUTER 1
#define SP 0xffff800080123450ULL
#define ID 4711
#define JUNK 0xdead0000ULL /* no address of code */

static struct kernel_key key;
static struct stack stack;
static struct kernel_copy copy;
static u32 place[READ_LOG_WORDS + 8]; /* word of the copy at which frame @i lies */
static inline u64 function(u32 n)
{
	return 0xffffffff81000000ULL + n * 0x100;
}

/* An empty stack of a system call, with the frame that is not looked for. */
static inline void enter(void)
{
	memset(&copy, 0, sizeof(copy));
	copy.sp = SP;
	key = (struct kernel_key){READ, KERNEL_SYSCALL, INNER, OUTER};
	stack.nr = INNER;
	stack.frame[0] = function(99);
}

/* The same, and no cached_stack. */
static inline void begin(void)
{
	test_forget();
	enter();
}

static inline void junk(u32 words)
{
	for (; words; words--)
		copy.now.word[copy.words++] = JUNK;
}

/* A frame of @words words, or as few as there can be, with its return address, to function @n. */
static inline void frame(u32 words, u32 n)
{
	junk((words < TEST_FRAME_WORDS ? TEST_FRAME_WORDS : words) - 1);
	place[stack.nr] = copy.words++;
	test_kernel_frame(&copy, place[stack.nr], stack.nr > INNER ? place[stack.nr - 1] : 0, function(n));
	stack.frame[stack.nr++] = function(n);
}

static inline void four_calls(void)
{
	begin();
	for (u32 i = 0; i < 4; i++)
		frame(3 + i, 1 + i);
	junk(5);
	frame(1, 50);
	junk(8);
}

static inline void put(u32 id)
{
	kernel_stack_cache_put(&key, &stack, &copy, id);
}

static inline u32 find(void)
{
	return kernel_stack_cache_find(&key, &copy);
}

/* A function that calls itself twice, and one that it calls and one that calls it. */
static inline void recursion(void)
{
	begin();
	frame(3, 1);
	for (u32 i = 0; i < 3; i++)
		frame(4, 2);
	frame(2, 3);
	frame(9, 50);
}

/* Put @id; is it found then? */
static inline bool is_kept(u32 id)
{
	put(id);
	return find() == id;
}

/* What was put is not found without any of its @nr innermost addresses. */
static inline void assert_each_address_counts(u32 nr)
{
	for (u32 i = INNER; i < INNER + nr; i++) {
		u64 old = copy.now.word[place[i]];

		copy.now.word[place[i]] = JUNK;
		assert_int_equal(find(), 0);
		copy.now.word[place[i]] = old;
	}
}
