/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The code to which signal handlers return: the rules `signal` of rules.txt. */
#include "core/arch/signal_frame.h"
#include "core/code/cfi_quirks.h"
#include "core/code/framepointer.h"
#include "core/code/rules.h"

GLOBAL u32 signal_rule(struct machine *m NONNULL)
{
	const struct code_around *here = (const struct code_around *)m->code;
	u64 rule = 0;

	each (i, NR_SIGNAL_RULES) {
		const struct return_rule *r = &at(signal_rules, i);

		rule |= r->rule & fits_around(here, &r->code, &r->mask);
	}
	return rule;
}

#define IN_SYSTEM_CALL (-38) /* ENOSYS: what the kernel puts in eax until it knows better */

/* Is the task in the system call before m->pc? What is behind the instruction may be another function's first one. */
static INLINE bool is_in_system_call(struct machine *m)
{
	u32 unknown = m->invalid | m->lazy,
	    rcx = m->compat || m->reg[RCX] == m->pc; /* the instruction puts rip there */

	return m->pc_is_exact & !(unknown >> RAX & 1) & !(unknown >> RCX & 1) & ((s32)m->reg[RAX] == IN_SYSTEM_CALL) &
	       rcx;
}

GLOBAL u32 row_of_handlers_return(struct machine *m NONNULL)
{
	u32 rule;

	if (m->code_at != m->pc && framepointer_code(m, m->pc))
		return NO_QUIRK;
	rule = signal_rule(m);
	if (!rule || (rule_first(rule) && !is_in_system_call(m)))
		return NO_QUIRK;
	memset(&m->row, 0, sizeof(m->row));
	m->row.cfa_kind = CFA_REG;
	m->row.cfa_reg = RSP;
	m->row.flags = ROW_SIGNAL | method_flags(BY_CODE);
	m->row.rule[SLOT_RA] = RULE_OFFSET;
	m->row.off[SLOT_RA] = rule_words(rule) * word_bytes(m);
	m->rule = rule_id(rule);
	return rule_first(rule) ? QUIRK_BY_STACK : QUIRK_BY_CODE;
}
