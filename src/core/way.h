/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Ways out of a function: its instructions, from one of them to a return. core/code/way_out.c follows them. */
#pragma once
#include "core/arch/regs.h"

/* What an address on the stack is counted from: the stack pointer or the frame pointer where the way began. */
enum way_base { WAY_FROM_SP, WAY_FROM_FP, WAY_FROM_NOWHERE };

/* Where a way has come to, and what has happened on it. */
struct way {
	u64 at;		     /* the next byte of code */
	s32 sp, fp;	     /* the stack pointer and the frame pointer: how many bytes above their base */
	u8 sp_from, fp_from; /* enum way_base */
	u16 pad;
	s32 called; /* the highest stack pointer at a call, as @sp */
	/* Of each register: the way_place() that it was loaded from; 0: it has not changed. Where it was stored last, and what. */
	s32 value[ROW_SLOTS], stored_at[ROW_SLOTS], stored[ROW_SLOTS];
};

#define WAY_LIST 32	    /* ways that wait to be followed */
#define WAY_SEEN_BYTES 8192 /* of code around the beginning: no instruction is followed twice */

/* The operands of an instruction of x86-64. In map memory, so that the verifier forgets what it knows of them. */
struct operands {
	u32 mod, reg, rm, sib;
	s32 disp, imm;
};

/* The search for a way out. */
struct way_out {
	struct way way;
	struct way branch[WAY_LIST]; /* ways that begin at the target of a branch: the last one first */
	struct way behind[WAY_LIST]; /* ways that begin behind a call: the first one first */
	u32 nr_branches, nr_behind, next_behind;
	u32 found;			/* @way has come to a return */
	u32 past_calls;			/* ways are followed behind calls, too */
	u32 within;			/* bytes of an instruction were read: its prefixes */
	u32 prefixes, rex, map, before; /* of x86-64: what they say; @before: the opcode of the instruction before */
	struct operands operands;
	u32 turns;
	u64 begin, low, high; /* code that was read */
	u64 target;	      /* of a jump */
	u64 seen[WAY_SEEN_BYTES / 64];
};

/* A place of the stack as a number that is not 0, if it is at a word. */
static INLINE s32 way_place(s32 off, u32 base)
{
	return (off & ~7) | (base + 1);
}
