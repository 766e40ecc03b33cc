/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * x86-64: DWARF register numbers (psABI §3.6.2), and which of them a row follows.
 *
 * Those of 32-bit tasks are the same, but for esi and edi: a callee saves them, as it does r12 and r13 on x86-64, and
 * so they stand there. So rows need not know the difference.
 */
#pragma once
#include "core/row.h"

enum {
	RAX,
	RDX,
	RCX,
	RBX,
	RSI,
	RDI,
	RBP,
	RSP,
	R8,
	R9,
	R10,
	R11,
	R12,
	R13,
	R14,
	R15,
	RIP,
	CS,	   /* given to a walk, and not followed: does the CPU run 32-bit code? */
	LOST = 31, /* what numbers beyond those are taken for */
	NR_REGS,
};

#define USER32_CS 0x23 /* linux 6.18 arch/x86/include/asm/segment.h, __USER32_CS */

/* What the tables of a file were written for: bits. None: x86-64. */
enum class {
	CLASS_ELF32 = 1, /* addresses have four bytes: x32, i386 */
	CLASS_I386 = 2,	 /* registers are numbered as on i386 */
};

#define CALLER_SAVED (1 << RAX | 1 << RDX | 1 << RCX | 1 << RSI | 1 << RDI | 1 << R8 | 1 << R9 | 1 << R10 | 1 << R11)
#define NEVER_KNOWN (~0u << RIP) /* vector registers and such; a row has the RA by its slot */
#define CALLEE_SAVED (1 << RBX | 1 << R12 | 1 << R13 | 1 << R14 | 1 << R15)

/* The slot of a register; NR_SLOTS if rows do not follow it. A table: to the verifier a switch is nine paths. */
static const u8 slot_of[NR_REGS] = {
	[RBX] = SLOT_RBX, [RBP] = SLOT_RBP,	  [RSP] = SLOT_RSP,
	[R12] = SLOT_R12, [R13] = SLOT_R13,	  [R14] = SLOT_R14,
	[R15] = SLOT_R15, [RIP] = SLOT_RA,	  [RAX] = NR_SLOTS,
	[RDX] = NR_SLOTS, [RCX] = NR_SLOTS,	  [RSI] = NR_SLOTS,
	[RDI] = NR_SLOTS, [R8... R11] = NR_SLOTS, [RIP + 1 ... NR_REGS - 1] = NR_SLOTS,
};

/* By number: on x86-64, and from NR_REGS on those of i386 (psABI i386 §2.4.2, table 2.14). */
static const u8 numbered[2 * NR_REGS] = {
	RAX,
	RDX,
	RCX,
	RBX,
	RSI,
	RDI,
	RBP,
	RSP,
	R8,
	R9,
	R10,
	R11,
	R12,
	R13,
	R14,
	R15,
	RIP,
	[RIP + 1 ... NR_REGS - 1] = LOST,
	[NR_REGS] = RAX,
	RCX,
	RDX,
	RBX,
	RSP,
	RBP,
	R12,
	R13,
	RIP,
	[NR_REGS + 9 ... 2 * NR_REGS - 1] = LOST,
};

/*
 * The register that CFI of @class means by @reg; those that we do not know are all the last one, which is always lost.
 * Without a branch: to the verifier it would double the paths through each instruction.
 */
static INLINE u32 known_reg(u32 class, u64 reg)
{
	u64 too_large = (s64) - (reg / NR_REGS) >> 63; /* all bits, or none */

	return at(numbered, (class & CLASS_I386) * (NR_REGS / CLASS_I386) + (reg | too_large) % NR_REGS);
}

/* Registers as the kernel has them, CS included, as a walk has them. */
static INLINE void regs_settle(u64 *reg)
{
	if (reg[CS] != USER32_CS)
		return;
	reg[R12] = reg[RSI];
	reg[R13] = reg[RDI];
}

static const u8 reg_of_slot[NR_SLOTS] = {RBX, RBP, R12, R13, R14, R15, RIP, RSP};
