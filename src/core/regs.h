/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* x86-64: DWARF register numbers (psABI §3.6.2), and which of them a row follows. */
#pragma once
#include "row.h"

enum {
	RAX, RDX, RCX, RBX, RSI, RDI, RBP, RSP, R8, R9, R10, R11, R12, R13, R14, R15, RIP, NR_REGS = 32,
};

#define CALLER_SAVED (1 << RAX | 1 << RDX | 1 << RCX | 1 << RSI | 1 << RDI | 1 << R8 | 1 << R9 | 1 << R10 | 1 << R11)
#define NEVER_KNOWN (~0u << RIP)		/* vector registers and such; a row has the RA by its slot */
#define CALLEE_SAVED (1 << RBX | 1 << R12 | 1 << R13 | 1 << R14 | 1 << R15)

/* The slot of a register; NR_SLOTS if rows do not follow it. A table: to the verifier a switch is nine paths. */
static const u8 slot_of[NR_REGS] = {
	[RBX] = SLOT_RBX, [RBP] = SLOT_RBP, [RSP] = SLOT_RSP, [R12] = SLOT_R12, [R13] = SLOT_R13, [R14] = SLOT_R14,
	[R15] = SLOT_R15, [RIP] = SLOT_RA,
	[RAX] = NR_SLOTS, [RDX] = NR_SLOTS, [RCX] = NR_SLOTS, [RSI] = NR_SLOTS, [RDI] = NR_SLOTS,
	[R8 ... R11] = NR_SLOTS, [RIP + 1 ... NR_REGS - 1] = NR_SLOTS,
};

/*
 * A register number from CFI; those that do not exist are all the last one, which is always lost. Without a branch: to
 * the verifier it would double the paths through each instruction.
 */
static INLINE u32 known_reg(u64 reg)
{
	u64 too_large = (s64)-(reg / NR_REGS) >> 63;	/* all bits, or none */

	return (reg | too_large) % NR_REGS;
}

static const u8 reg_of_slot[NR_SLOTS] = { RBX, RBP, R12, R13, R14, R15, RIP, RSP };
