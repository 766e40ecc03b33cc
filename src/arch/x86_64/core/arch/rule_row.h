/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What rules of rules.txt mean on x86-64: how many words below the CFA rbx and rbp are saved; 0: they are not. */
#pragma once
#include "core/code/rule.h"

#define RULE_ENTRY RULE(1, 0, 0, NO_SWITCH, NO_RULE) /* nothing was pushed on top of the return address */

/* Add to m->row that the register in @slot is saved @below words below the CFA, unless that is 0. */
static INLINE void rule_saves(struct machine *m, u32 slot, u32 below)
{
	u32 is = (below + 15) >> 4;

	m->row.rule[slot] = is * RULE_OFFSET;
	m->row.off[slot] = -(s32)(below * word_bytes(m));
	m->row.saved |= is << slot;
}

/* Make m->row of what @rule says. It is a guess: the return address must follow a call. */
static INLINE void rule_row(struct machine *m, u32 rule)
{
	row_ra_at_sp(m, (rule_words(rule) - 1) * word_bytes(m));
	if (rule_kind(rule) == OUTERMOST)
		m->row.rule[SLOT_RA] = RULE_UNDEFINED;
	rule_saves(m, SLOT_RBX, rule_first(rule));
	rule_saves(m, SLOT_RBP, rule_second(rule));
	m->row.flags = ROW_GUESS;
	m->rule = rule_id(rule);
}

/* Is @rule, which has matched, true of this frame? */
static INLINE bool rule_applies(const struct machine *m, u32 rule)
{
	return true;
}
