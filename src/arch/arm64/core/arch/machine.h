/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What calls and system calls of arm64 do to a machine. The end of core/machine.h. */
#pragma once
#include "core/machine.h"

#define SYSCALL_BYTES 4 /* of the instruction */

/*
 * Bits of a user's address. Those above may be the return address's authentication code (PAC), which is removed without
 * being checked: linux 6.18 Documentation/arch/arm64/pointer-authentication.rst. Memory above is only for programs that
 * ask for it (Documentation/arch/arm64/memory.rst, "52-bit userspace VAs").
 */
#define ADDRESS_BITS 48

/* Return @ra without its authentication code. One that is not signed is not changed by that. */
static INLINE u64 code_address(u64 ra)
{
	return ra & ((1ULL << ADDRESS_BITS) - 1);
}

/* The registers that are lost in a call. */
static INLINE u32 lost_in_call(const struct machine *m)
{
	return CALLER_SAVED;
}

/* Make m->row, as it is where a function begins, @words words below the CFA: the return address is in x30. */
static INLINE void row_of_entry(struct machine *m, u32 words)
{
	memset(&m->row, 0, sizeof(m->row));
	m->row.cfa_kind = CFA_REG;
	m->row.cfa_reg = SP;
	m->row.cfa_off = words * 8;
}

/* The instruction at @code, which has any alignment. */
static INLINE u32 instruction(const u8 *code)
{
	return code[0] | code[1] << 8 | code[2] << 16 | (u32)code[3] << 24;
}

/* All bits if @a is 0, or none. */
static INLINE u64 all_if_zero(u64 a)
{
	return (s64)((a - 1) & ~a) >> 63;
}

/* Not 0 if the instruction is mov x29,sp; add x29,sp,#N; or Go's sub x29,sp,#8. Without a branch, as callers repeat it. */
static INLINE u64 sets_fp(u64 code)
{
	return all_if_zero((code & 0xffc003ff) ^ 0x910003fd) | all_if_zero(code ^ 0xd10023fd);
}

/* svc #0 */
static INLINE bool is_system_call(const struct machine *m, const u8 *code)
{
	return instruction(code) == 0xd4000001;
}
