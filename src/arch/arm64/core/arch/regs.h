/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * arm64: DWARF register numbers (aadwarf64 §4.1), and the registers that a row follows.
 *
 * x18 is not followed: it belongs to the platform (aapcs64 §6.1.1), and on Linux code does not expect it to survive a
 * call. Its place is that of the PC when a walk begins, and stands for all registers that are always lost.
 */
#pragma once
#include "core/env.h"

enum { X0, X1, X8 = 8, X18 = 18, X19, X20, X21, X22, X23, X24, X25, X26, X27, X28, X29, X30, SP, NR_REGS, LOST = X18 };

enum {
	REG_PC = X18,
	REG_SP = SP,
	REG_FP = X29,
	REG_RA = X30,
	REG_G = X28, /* of Go */
	REG_ARGUMENT = X0,
	REG_ARGUMENT_2 = X1,
	REG_MODE = NR_REGS
};
#define RA_IN_A_REGISTER 1 /* calls put the return address into x30 */
#define SP_MAY_BE_LOST 1   /* a frame record may lie anywhere in its frame: it does not say where that ends */

#define INPUT_REGS NR_REGS /* a walk starts from these */
#define KEPT_REGS NR_REGS  /* a frame may change these */

/* The registers that a row follows; the CFA is the caller's sp. */
enum slot {
	SLOT_X19,
	SLOT_X20,
	SLOT_X21,
	SLOT_X22,
	SLOT_X23,
	SLOT_X24,
	SLOT_X25,
	SLOT_X26,
	SLOT_X27,
	SLOT_X28,
	SLOT_FP,
	SLOT_RA,
	SLOT_SP,
	NR_SLOTS
};
#define NR_SAVED SLOT_RA	 /* the callee-saved ones come first */
#define NR_DEPENDS (SLOT_RA + 1) /* a walk may depend on the initial values of so many, the first ones */
#define ROW_SLOTS 16		 /* a power of two */
typedef u16 slot_bits;		 /* a bit for each that may be saved */

/* What a file's tables were written for, as bits. None: arm64. */
enum class {
	CLASS_ELF32 = 1, /* addresses have four bytes: such files are not read */
};

#define CALLER_SAVED ((1u << X19) - 1 | 1u << X30) /* aapcs64 §6.1.1 */
#define NEVER_KNOWN (1u << LOST)
#define CALLEE_SAVED (0x3ffu << X19)
#define DEPENDS_REGS (CALLEE_SAVED | 1u << X29 | 1u << X30)

/* The slot of a register; NR_SLOTS: rows do not follow it. */
static const u8 slot_of[NR_REGS] = {
	[X0... X18] = NR_SLOTS, [X19] = SLOT_X19, [X20] = SLOT_X20, [X21] = SLOT_X21, [X22] = SLOT_X22,
	[X23] = SLOT_X23,	[X24] = SLOT_X24, [X25] = SLOT_X25, [X26] = SLOT_X26, [X27] = SLOT_X27,
	[X28] = SLOT_X28,	[X29] = SLOT_FP,  [X30] = SLOT_RA,  [SP] = SLOT_SP,
};

static const u8 reg_of_slot[ROW_SLOTS] = {X19, X20, X21, X22, X23, X24, X25, X26, X27, X28, X29, X30, SP};

/*
 * Return the register that CFI means by @reg. The numbers beyond are of vector registers and such: they are lost.
 * Without a branch, which would double the verifier's paths through each instruction.
 */
static INLINE u32 known_reg(u32 class, u64 reg)
{
	u64 too_large = (s64) - (reg / NR_REGS) >> 63; /* all bits, or none */

	return (reg & ~too_large & (NR_REGS - 1)) | (too_large & LOST);
}

/* Convert registers from the kernel's to a walk's: they are the same. */
static INLINE void regs_settle(u64 *reg)
{
}

/* Return the registers of a row's slots, a bit each. */
static INLINE u32 registers_of(u32 slots)
{
	_Static_assert(SLOT_X19 == 0 && SLOT_X28 == 9 && SLOT_FP == 10 && X29 == X19 + 10, "the order of slots");
	return (slots & ((1 << NR_SAVED) - 1)) << X19;
}

/* By how many bytes are the words of the task shorter than eight? 32-bit tasks are not walked. */
static INLINE u32 regs_compat(const u64 *reg)
{
	return 0;
}

/* Where a task is. */
static INLINE u64 regs_place(const u64 *reg)
{
	return reg[REG_PC];
}
