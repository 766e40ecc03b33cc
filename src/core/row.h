/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A row: how to get the caller's registers at one PC. All sources of unwind information produce it. */
#pragma once
#include "core/arch/regs.h"
#include "abi/frame.h"

enum cfa_kind { CFA_NONE, CFA_REG, CFA_EXPR };
enum rule {
	RULE_SAME,
	RULE_OFFSET,
	RULE_VAL_OFFSET,
	RULE_UNDEFINED,
	RULE_REGISTER,
	RULE_EXPR,
	RULE_VAL_EXPR,
	RULE_REPLACED, /* of the return address: another frame's lies in its place */
};

enum row_flags {
	ROW_SIGNAL = 1,
	ROW_FRAME_POINTER = 2, /* no CFI: try the frame pointer; if it has a CFA, the thread may be new */
	ROW_EXPRESSIONS = 4,   /* it may have expressions */
	ROW_SIMPLE = 8,	       /* the CFA is a register and an offset; all saved registers are at offsets from it */
	ROW_GUESS = 16,	       /* from the code, not from CFI: valid only if the return address follows a call */
	ROW_FLEXIBLE = 32,     /* its expressions are a register and an offset, from .sframe */
	ROW_METHOD = 64 | 128, /* two bits, the enum frame_method counted from BY_CFI: row_method() */
};

#define SAVED_SLOTS ((1 << NR_SAVED) - 1)

struct row {
	u8 cfa_kind, cfa_reg, flags;
	slot_bits saved; /* a bit for each slot that was given a rule */
	s32 cfa_off;	 /* or the expression, as its distance from .eh_frame_hdr */
	u8 rule[ROW_SLOTS];
	s32 off[ROW_SLOTS]; /* an offset, a register, both, or an expression as above */
};

/* Two bits of the flags. Without a branch, which would double the verifier's paths through a frame. */
static INLINE u8 method_flags(u32 method)
{
	return (method - BY_CFI) << 6;
}

static INLINE u32 row_method(const struct row *row)
{
	return (row->flags >> 6) + BY_CFI;
}
