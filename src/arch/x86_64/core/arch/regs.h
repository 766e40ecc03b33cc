/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * x86-64: DWARF register numbers (psABI §3.6.2), and the registers that a row follows.
 *
 * 32-bit tasks use the same numbers, except that esi and edi are kept in the places of r12 and r13: they are
 * callee-saved, as r12 and r13 are on x86-64. So rows need not distinguish the two.
 */
#pragma once
#include "core/env.h"

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
	CS,	   /* input of a walk, not followed: does the CPU run 32-bit code? */
	LOST = 31, /* stands for all register numbers beyond these */
	NR_REGS,
};

enum {
	REG_PC = RIP,
	REG_SP = RSP,
	REG_FP = RBP,
	REG_RA = RIP,
	REG_G = R14, /* of Go */
	REG_ARGUMENT = RDI,
	REG_ARGUMENT_2 = RSI,
	REG_MODE = CS
};
#define RA_IN_A_REGISTER 0 /* calls push the return address */
#define SP_MAY_BE_LOST 0   /* a frame pointer tells where the caller's frame is */

#define INPUT_REGS (CS + 1) /* a walk starts from these */
#define KEPT_REGS (R15 + 1) /* a frame may change these */

/* The registers that a row follows; the CFA is the caller's rsp. */
enum slot { SLOT_RBX, SLOT_RBP, SLOT_R12, SLOT_R13, SLOT_R14, SLOT_R15, SLOT_RA, SLOT_RSP, NR_SLOTS };
#define SLOT_FP SLOT_RBP
#define NR_SAVED SLOT_RA    /* the callee-saved ones come first */
#define NR_DEPENDS NR_SAVED /* a walk may depend on the initial values of so many, the first ones */
#define ROW_SLOTS 8	    /* a power of two */
typedef u8 slot_bits;	    /* a bit for each that may be saved */

#define USER32_CS 0x23 /* linux 6.18 arch/x86/include/asm/segment.h, __USER32_CS */

/* What a file's tables were written for. 0: x86-64. */
enum class {
	CLASS_ELF32 =
		1, /* i386: addresses have four bytes, and registers other numbers. Those of x32 are not followed */
};

#define CALLER_SAVED (1 << RAX | 1 << RDX | 1 << RCX | 1 << RSI | 1 << RDI | 1 << R8 | 1 << R9 | 1 << R10 | 1 << R11)
#define NEVER_KNOWN (~0u << RIP) /* vector registers and such; a row has the return address in a slot */
#define CALLEE_SAVED (1 << RBX | 1 << R12 | 1 << R13 | 1 << R14 | 1 << R15)
#define DEPENDS_REGS (CALLEE_SAVED | 1 << RBP)

/* The slot of a register; NR_SLOTS: rows do not follow it. A table, since the verifier sees nine paths in a switch. */
static const u8 slot_of[NR_REGS] = {
	[RBX] = SLOT_RBX, [RBP] = SLOT_RBP,	  [RSP] = SLOT_RSP,
	[R12] = SLOT_R12, [R13] = SLOT_R13,	  [R14] = SLOT_R14,
	[R15] = SLOT_R15, [RIP] = SLOT_RA,	  [RAX] = NR_SLOTS,
	[RDX] = NR_SLOTS, [RCX] = NR_SLOTS,	  [RSI] = NR_SLOTS,
	[RDI] = NR_SLOTS, [R8... R11] = NR_SLOTS, [RIP + 1 ... NR_REGS - 1] = NR_SLOTS,
};

/*
 * Registers by their numbers: first those of x86-64, and from NR_REGS on those of i386 (psABI i386 §2.4.2, table 2.14).
 */
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
 * Return the register that CFI of @class means by @reg; for unknown ones the last number, LOST, which is always lost.
 * Without a branch, which would double the verifier's paths through each instruction.
 */
static INLINE u32 known_reg(u32 class, u64 reg)
{
	u64 too_large = (s64) - (reg / NR_REGS) >> 63; /* all bits, or none */

	return at(numbered, (class & CLASS_ELF32) * NR_REGS + (reg | too_large) % NR_REGS);
}

/* Convert registers, CS included, from the kernel's to a walk's: of a 32-bit task, esi and edi go to r12 and r13. */
static INLINE void regs_settle(u64 *reg)
{
	if (reg[CS] != USER32_CS)
		return;
	reg[R12] = reg[RSI];
	reg[R13] = reg[RDI];
}

static const u8 reg_of_slot[ROW_SLOTS] = {RBX, RBP, R12, R13, R14, R15, RIP, RSP};

/* Return the registers of a row's slots, a bit each. */
static INLINE u32 registers_of(u32 slots)
{
	_Static_assert(SLOT_RBX == 0 && SLOT_RBP == 1 && SLOT_R12 == 2 && SLOT_R15 == 5, "the order of slots");
	return (slots & 1) << RBX | (slots >> 1 & 1) << RBP | (slots >> 2 & 15) << R12;
}

/* By how many bytes are the words of the task with these registers shorter than eight? */
static INLINE u32 regs_compat(const u64 *reg)
{
	return reg[CS] == USER32_CS ? 4 : 0;
}

/* Where a task is: its PC, and what the code there is. The same address may be 32-bit and 64-bit code. */
static INLINE u64 regs_place(const u64 *reg)
{
	return reg[RIP] | reg[CS] << 48;
}
