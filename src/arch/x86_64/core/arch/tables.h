/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What unwind tables and ELF files of x86-64 and i386 have that others have not. */
#pragma once
#include "core/arch/regs.h"

#define CFA_VENDOR_OPERANDS BAD, BAD, BAD /* of the instructions 0x2b to 0x2d of CFI: there are none */
#define LAST_BREG 16			  /* DW_OP_breg16: the return address (psABI x86-64 §3.6.2) */
#define EXPR_KNOWS_PC 1			  /* as that register */

/* SFrame (the format's specification, version 2 and 3): the return address is always below the CFA. */
#define SFRAME_ABI 3 /* AMD64, little-endian */
#define SFRAME_FIXED_RA 1
#define SFRAME_LAST_REG R15

/* May a file's first CIE, without a personality, have this length? */
static INLINE bool is_cie_length(u32 len)
{
	return len == 0x14 || len == 0x1c;
}

#define ELF32_IS_READ 1

/* Do signal handlers return into a vDSO of @class, to code that has CFI? 1 or 0. */
static INLINE u32 handlers_return_to(u32 class)
{
	return class;
}

/* Do tables of @class describe the code of a task? @compat: it runs 32-bit code; that of x32 is 64-bit code. */
static INLINE bool class_describes(u32 class, u32 compat)
{
	return class == !!compat;
}
