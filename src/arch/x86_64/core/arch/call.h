/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Calls, by their code: 8 bytes before a return address, and 16 behind. */
#pragma once
#include "core/env.h"

#define EACH_BYTE 0x0101010101010101ULL

/*
 * Does the place follow a call? e8 rel32 is at byte 3, or ff /2 in its five lengths at byte 1, 2, 4, 5 or 6. All are compared at
 * once, without branches: a byte becomes 0 where a call is. @code is aligned, as m->code.
 */
static INLINE bool follows_call(const u8 *code)
{
	u64 word = *(const __attribute__((may_alias)) u64 *)code;
	u64 indirect = (word ^ 0xff * EACH_BYTE) | ((word >> 8 ^ 0x10 * EACH_BYTE) & 0x38 * EACH_BYTE);
	u64 direct = (word ^ 0xe8ULL << 24) | ~(0xffULL << 24);
	u64 calls = (indirect | 0xff000000ff0000ffULL) & direct;

	return (calls - EACH_BYTE) & ~calls & 0x80 * EACH_BYTE;
}

/* Return the four bytes at @code as a distance from the next instruction. */
static INLINE s64 call_distance(const u8 *code)
{
	return (s32)(code[0] | code[1] << 8 | code[2] << 16 | (u32)code[3] << 24);
}

/* Return the target of the call before return address @pc; 0: the instruction does not contain it. */
static INLINE u64 call_target(const u8 *code, u64 pc)
{
	return code[3] == 0xe8 ? pc + call_distance(code + 4) : 0;
}
