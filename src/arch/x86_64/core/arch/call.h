/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Calls, by their code: 8 bytes before a return address, and 16 behind. */
#pragma once
#include "core/env.h"

/* Does the place follow a call? e8 rel32, or ff /2 in its five lengths. */
static INLINE bool follows_call(const u8 *code)
{
	if (code[3] == 0xe8)
		return true;
	for (u32 i = 1; i <= 6; i++)
		if (i != 3 && code[i] == 0xff && (code[i + 1] & 0x38) == 0x10)
			return true;
	return false;
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
