/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The common currency: how to get the caller's registers at one PC. */
#pragma once
#include "core/env.h"
#include "abi/frame.h"

enum cfa_kind { CFA_NONE, CFA_REG, CFA_EXPR };
enum rule { RULE_SAME, RULE_OFFSET, RULE_VAL_OFFSET, RULE_UNDEFINED, RULE_REGISTER, RULE_EXPR, RULE_VAL_EXPR };

enum row_flags {
	ROW_SIGNAL = 1,
	ROW_FRAME_POINTER = 2, /* there is no CFI; if there is a CFA all the same, a new thread has none */
	ROW_EXPRESSIONS = 4,   /* perhaps */
	ROW_SIMPLE = 8,	       /* the CFA is a register and an offset; all that was saved lies at offsets from it */
	ROW_GUESS = 16,	       /* from the code, not from CFI: believed only if it leads behind a call */
	ROW_FLEXIBLE = 32,     /* expressions that are a register and an offset, from .sframe */
	ROW_METHOD = 64 | 128, /* by what the row is, from BY_CFI on: row_method() */
};

/* The registers that a row follows; the CFA is the caller's rsp. */
enum slot { SLOT_RBX, SLOT_RBP, SLOT_R12, SLOT_R13, SLOT_R14, SLOT_R15, SLOT_RA, SLOT_RSP, NR_SLOTS };
#define NR_SAVED SLOT_RA /* the callee-saved ones come first */
#define SAVED_SLOTS ((1 << NR_SAVED) - 1)

struct row {
	u8 cfa_kind, cfa_reg, flags, saved; /* @saved: bit per slot that was given a rule */
	s32 cfa_off;			    /* or the expression, as distance from .eh_frame_hdr */
	u8 rule[NR_SLOTS];
	s32 off[NR_SLOTS]; /* offset, register, both, or expression like above */
};

/* Two bits of the flags, and no branch: to the verifier it would double the ways through a frame. */
static INLINE u8 method_flags(u32 method)
{
	return (method - BY_CFI) << 6;
}

static INLINE u32 row_method(const struct row *row)
{
	return (row->flags >> 6) + BY_CFI;
}
