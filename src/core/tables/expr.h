/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* DWARF expressions in rows. */
#pragma once
#include "core/machine.h"

#define EXPR_DEPTH SCRATCH_WORDS

/* Evaluate the CFA's and the registers' expressions, to m->cfa and m->value[]. Returns 0 or an enum outcome. */
GLOBAL u32 expr_row(struct machine *m NONNULL);

/*
 * A part of it, verified once: evaluate the expression at m->hdr + @off, on top of the @nr values that are there, to m->word.
 * Returns 0 or an enum outcome.
 */
GLOBAL u32 expr_evaluate(struct machine *m NONNULL, s32 off, u32 nr);
