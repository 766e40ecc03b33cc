/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where a kernel stack has its return addresses, on arm64. A part of core/shared/kernel_stack_cache.c.
 *
 * Each function that calls another has a frame record, the caller's x29 and x30, and its own x29 points there: that is
 * what the kernel's unwinder follows (linux 6.18 arch/arm64/kernel/stacktrace.c, kunwind_next_frame_record()). So the
 * places are those of the records, from that of __schedule() on, and all links between them are compared as well as
 * the addresses. With the same links it is the same chain, whatever is left over between them.
 *
 * Only where the chain begins must be known. It is as far from the stack pointer in all stacks, as only __schedule()
 * calls __switch_to(), and both have frames of constant size. So it is found once, in a stack that has one record with the
 * innermost address, and then taken for all. The address itself may be there twice: compilers keep copies of it.
 *
 * Where an interrupt came in the kernel, a record without an address leads to saved registers (same file,
 * kunwind_next_frame_record_meta()): such stacks are not cached.
 */
#pragma once
#include "core/shared/kernel_stack_cache.h"

/*
 * The bits of an address that may be an authentication code: all above those of code, but 55, which says that it is
 * the kernel's (linux 6.18 arch/arm64/include/asm/pointer_auth.h, ptrauth_kernel_pac_mask()). Code is in the uppermost
 * 128 TiB, also of kernels with 52 bits (arch/arm64/include/asm/memory.h, MODULES_VADDR). Kernels with fewer than 48 bits have longer
 * codes: there, if it makes them, no signed address is found.
 */
#define KERNEL_CODES 0xff7f000000000000ULL

u32 kernel_chain; /* the word from the stack pointer on where the record of __schedule() begins; 0: unknown */

/* @word of a stack from @sp on, as it is in all tasks: a place in this stack as its distance, an address without its code. */
static INLINE u64 kernel_word(u64 word, u64 sp)
{
	u64 distance = word - sp, away = (s64)opaque(0 - distance / (READ_LOG_SPAN * sizeof(u64))) >> 63;

	return (distance & ~away) | ((word | KERNEL_CODES) & away); /* without a branch, as callers repeat it */
}

struct chain {
	const struct stack *stack;
	struct kernel_copy *copy;
};

/* Does @link lead from word @place upwards, in this stack? */
static INLINE bool leads_on(const struct chain *c, u32 place, u64 link)
{
	return link > place * sizeof(u64) && link < c->copy->words * sizeof(u64);
}

/* How often, and where, is a record with the innermost address? */
TURN(chain_begins, struct chain, c)
{
	u64 address;

	if (turn + 1 >= c->copy->words)
		return STOP;
	address = kernel_word(at(c->copy->now.word, turn + 1), c->copy->sp);
	if (address != at(c->stack->frame, c->copy->next) ||
	    !leads_on(c, turn, kernel_word(at(c->copy->now.word, turn), c->copy->sp)))
		return NEXT;
	c->copy->place = turn;
	c->copy->times++;
	return NEXT;
}

/* Log the record at copy->place, which must have the address of frame copy->next, and go to that of the caller. */
TURN(chain_continues, struct chain, c)
{
	u64 link, address;

	if (c->copy->place + 1 >= c->copy->words)
		return STOP;
	link = kernel_word(at(c->copy->now.word, c->copy->place), c->copy->sp);
	address = kernel_word(at(c->copy->now.word, c->copy->place + 1), c->copy->sp);
	if (address != at(c->stack->frame, c->copy->next))
		return STOP;
	read_log_add(&c->copy->reads, (c->copy->place + 1) * sizeof(u64), address);
	c->copy->next++;
	if (c->copy->next == c->copy->last)
		return STOP; /* what this record leads to is not looked for */
	if (!leads_on(c, c->copy->place, link))
		return STOP;
	read_log_add(&c->copy->reads, c->copy->place * sizeof(u64), link);
	c->copy->place = link / sizeof(u64);
	return NEXT;
}

/* Find frames @first to @last - 1 of @s in @copy, and log their places. False: they are not certain. */
static INLINE bool kernel_places_find(const struct stack *s, u32 first, u32 last, struct kernel_copy *copy)
{
	struct chain chain = {.stack = s, .copy = copy};

	copy->next = first;
	copy->last = last;
	copy->place = copy->begin = load_relaxed(&kernel_chain);
	if (!copy->place) {
		copy->times = 0;
		loop(READ_LOG_SPAN, chain_begins, &chain);
		if (copy->times != 1)
			return false;
		copy->begin = copy->place;
	}
	loop(READ_LOG_WORDS, chain_continues, &chain);
	if (copy->next < last || !read_log_is_usable(&copy->reads))
		return false;
	store_relaxed(&kernel_chain, copy->begin);
	return true;
}

/* Has @now, from @sp on, at each place of @r what was found there? */
GLOBAL int kernel_places_compare(struct read_log *r NONNULL, struct stack_snapshot *now NONNULL, u64 sp);

GLOBAL int kernel_places_compare(struct read_log *r NONNULL, struct stack_snapshot *now NONNULL, u64 sp)
{
	return read_log_compare(r, now, kernel_word, sp);
}

static INLINE bool kernel_places_hold(struct read_log *reads, struct kernel_copy *copy)
{
	return kernel_places_compare(reads, &copy->now, copy->sp);
}
