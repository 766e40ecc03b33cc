/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Calls, by their code: 8 bytes before a return address, and 16 behind. */
#pragma once
#include "core/env.h"

static INLINE u32 call_before(const u8 *code)
{
	return code[4] | code[5] << 8 | code[6] << 16 | (u32)code[7] << 24;
}

/* Does the place follow a call? bl; or blr and its kinds that authenticate (Arm ARM C6.2). */
static INLINE bool follows_call(const u8 *code)
{
	u32 call = call_before(code);

	return call >> 26 == 0x25 || (call & 0xfefff000) == 0xd63f0000;
}

/* Return the target of the call before return address @pc; 0: the instruction does not contain it. */
static INLINE u64 call_target(const u8 *code, u64 pc)
{
	u32 call = call_before(code);

	return call >> 26 == 0x25 ? pc - 4 + (s64)((s32)(call << 6) >> 4) : 0;
}
