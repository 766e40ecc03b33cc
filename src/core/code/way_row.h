/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The part of a way's row that all architectures share: the registers that the function has saved. */
#pragma once
#include "core/machine.h"

/* Where a register of the caller is, by the way that was found: make it the rule for @slot. */
static INLINE void way_row_saves(struct machine *m, u32 slot)
{
	const struct way *w = &m->way_out.way;
	s32 from = at(w->value, slot);

	if (!from || (from == way_place(from, WAY_FROM_SP) && from < 0)) /* not changed, or saved on the way */
		return;
	if (from == way_place(from, w->sp_from))
		row_saves(m, slot, RULE_OFFSET, (from & ~7) - m->row.cfa_off);
	else
		row_saves(m, slot, RULE_UNDEFINED, 0);
}
