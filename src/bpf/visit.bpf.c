/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "visit.bpf.h"

CORE enum visit_verdict visit_of(struct task_state *st, struct task_struct *t)
{
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(t);
	struct visit_now now = visit_now(t);

	if (st->mm != (u64)t->mm || st->exec_id != t->self_exec_id || st->asked.reg[RSP] != regs->sp ||
	    st->asked.reg[RIP] != original_ip(t, regs->ip))
		return VISIT_OTHER;
	return visit_of_request(&st->visit, &now);
}
