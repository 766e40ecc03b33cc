/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What unwind tables and ELF files of arm64 have that others have not. */
#pragma once
#include "core/arch/regs.h"

/*
 * Of the instructions 0x2b to 0x2d of CFI: set_ra_state, negate_ra_state_with_pc, negate_ra_state (aadwarf64 §4.4.8).
 * They say when the return address is signed, and need no more than to be skipped: code_address().
 */
#define CFA_VENDOR_OPERANDS A | SB, 0, 0
#define LAST_BREG 31
#define EXPR_KNOWS_PC 0 /* x30 is not the PC */

/* SFrame (the format's specification, version 2 and 3): where the return address is saved is said row by row. */
#define SFRAME_ABI 2 /* AArch64, little-endian */
#define SFRAME_FIXED_RA 0
#define SFRAME_LAST_REG SP

/* May a file's first CIE, without a personality, have this length? */
static INLINE bool is_cie_length(u32 len)
{
	return len == 0x10 || len == 0x14;
}

#define ELF32_IS_READ 0

/* Do signal handlers return into a vDSO of @class, to code that has CFI? They do return there, but it has none. */
static INLINE u32 handlers_return_to(u32 class)
{
	return 0;
}

/* Do tables of @class describe the code of a task? There is one kind. */
static INLINE bool class_describes(u32 class, u32 compat)
{
	return !class;
}
