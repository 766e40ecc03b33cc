/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the code around a return address shows: 8 bytes before it, and 16 behind. */
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

/* Return the target of the call before return address @pc; 0: the instruction does not contain it. */
static INLINE u64 call_target(const u8 *code, u64 pc)
{
	s32 rel = code[4] | code[5] << 8 | code[6] << 16 | (u32)code[7] << 24;

	return code[3] == 0xe8 ? pc + (s64)rel : 0;
}

/* Go's goexit(): a goroutine's function returns to its second instruction: nop; call goexit1; nop. */
static INLINE bool ends_goroutine(const u8 *code)
{
	return code[7] == 0x90 && code[8] == 0xe8 && code[13] == 0x90;
}

/* Go's clone(), behind the call of a new thread's function: mov $111,%edi; mov $60,%eax; syscall: exit(). */
static INLINE bool ends_thread(const u8 *code)
{
	return code[8] == 0xbf && code[9] == 111 && code[13] == 0xb8 && code[14] == 60 && !code[15] &&
	       code[18] == 0x0f && code[19] == 0x05;
}
