/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What rules of rules.txt mean on arm64: the return address is in x30, and how many words above sp the CFA is. */
#pragma once
#include "core/arch/signal_frame.h"
#include "core/code/rule.h"

#define RULE_ENTRY RULE(0, 0, 0, NO_SWITCH, NO_RULE)

/* Make m->row of what @rule says. It is a guess, unless it is a signal's frame: the return address must follow a call. */
static INLINE void rule_row(struct machine *m, u32 rule)
{
	if (rule_kind(rule) == SIGNAL_FRAME) {
		row_of_signal(m);
	} else {
		row_of_entry(m, rule_words(rule));
		m->row.flags = ROW_GUESS;
	}
	m->rule = rule_id(rule);
}

/* Is @rule, which has matched, true of this frame? Behind a call x30 is no longer what the function was entered with. */
static INLINE bool rule_applies(const struct machine *m, u32 rule)
{
	return m->pc_is_exact || rule_kind(rule) == SIGNAL_FRAME;
}
