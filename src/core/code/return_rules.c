/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Callers that are known by the code around their return address: the rules `return` of rules.txt. They are looked for
 * where there is no CFI.
 */
#include "core/arch/rule_row.h"
#include "core/arch/switch.h"
#include "core/code/framepointer.h"
#include "core/code/return_rules.h"
#include "core/code/rules.h"

GLOBAL u32 return_rule(struct machine *m NONNULL)
{
	const struct code_around *here = (const struct code_around *)m->code;
	u64 rule = 0;

	each (i, NR_RETURN_RULES) {
		const struct return_rule *r = &at(return_rules, i);
		u64 is = fits_around(here, &r->code, &r->mask);

		rule = (rule & ~is) | (is & r->rule);
	}
	return rule;
}

/* Go to the caller by what @rule says of a frame without CFI. It has saved no register but the frame pointer. */
static INLINE int leave_by_rule(struct machine *m, u32 rule)
{
	int err;

	rule_row(m, rule);
	m->row.flags |= method_flags(BY_CODE);
	m->cfa = word_trim(m, m->sp + (s64)m->row.cfa_off);
	err = stack_read(m, m->cfa + (s64)m->row.off[SLOT_RA], &m->word);
	if (err)
		return err;
	if (m->row.saved)
		lies_at(m, REG_FP, m->cfa + (s64)m->row.off[SLOT_FP]);
	m->pc = code_address(m->word);
	m->sp = m->cfa;
	m->invalid |= lost_in_call(m);
	return 0;
}

GLOBAL int return_rule_step(struct machine *m NONNULL)
{
	u64 ra = m->pc;
	bool is_frame = m->code_at == ra; /* its code was read when a frame pointer had led here */
	u32 rule, kind;
	int err;

	if (m->pc_is_exact || (!is_frame && framepointer_code(m, ra)))
		return -ENOENT;
	rule = return_rule(m);
	kind = rule_kind(rule);
	if (!rule || (kind == OUTERMOST && !is_frame))
		return -ENOENT;
	m->rule = rule_id(rule);
	if (kind == OUTERMOST)
		return switch_is_outermost(m) ? -ESRCH : -ENOENT;
	err = kind ? switch_stack(m, kind) : leave_by_rule(m, rule);
	err = verifier_forget(m->scratch.error, err);
	if (err)
		return err;
	m->reg[REG_SP] = m->sp;
	if (!framepointer_is_called(m))
		return -EFAULT;
	return switch_is_done(m, ra);
}
