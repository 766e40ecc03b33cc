/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What calls and system calls of x86-64 and i386 do to a machine. The end of core/machine.h. */
#pragma once
#include "core/machine.h"

#define SYSCALL_BYTES 2 /* of the instruction */

/*
 * The registers that are lost in a call. On i386 ecx is not: where gcc has the CFA in ecx, it calls only code that
 * preserves it.
 */
static INLINE u32 lost_in_call(const struct machine *m)
{
	return CALLER_SAVED & ~(m->compat / 4 << RCX);
}

/* Make m->row: the return address is @bytes above rsp, and all other registers are unchanged. */
static INLINE void row_ra_at_sp(struct machine *m, u64 bytes)
{
	memset(&m->row, 0, sizeof(m->row));
	m->row.cfa_kind = CFA_REG;
	m->row.cfa_reg = RSP;
	m->row.cfa_off = bytes + word_bytes(m);
	m->row.rule[SLOT_RA] = RULE_OFFSET;
	m->row.off[SLOT_RA] = -word_bytes(m);
}

/* Make m->row, as it is where a function has begun, with @words words on top of the return address. */
static INLINE void row_of_entry(struct machine *m, u32 words)
{
	row_ra_at_sp(m, words * word_bytes(m));
}

/* syscall, or int $0x80 */
static INLINE bool is_system_call(const struct machine *m, const u8 *code)
{
	return m->compat ? code[0] == 0xcd && code[1] == 0x80 : code[0] == 0x0f && code[1] == 0x05;
}

/* Return address @ra as it is: no bits of it are used for anything else. */
static INLINE u64 code_address(u64 ra)
{
	return ra;
}
