/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* visit_of(), as a function that other files call. */
#include "bpf/common/visit.bpf.h"

/*
 * Is @t in the execve() that the last answer was about? There is no stack until it ends, however often one is requested,
 * while its steps change the address space, the number of programs run, and the registers.
 */
static INLINE bool is_still_replaced(const struct task_state *st, struct task_struct *t)
{
	u64 nr;

	if (st->last.outcome != EXEC_NEW || st->mm != (u64)t->mm)
		return false;
	nr = call_of(t, (struct pt_regs *)bpf_task_pt_regs(t));
	return nr == NR_EXECVE || nr == NR_EXECVEAT;
}

CORE enum visit_verdict visit_of(struct task_state *st, struct task_struct *t)
{
	struct visit_now now = visit_now(t);
	enum visit_verdict verdict = visit_is_here(st, t) ? visit_of_request(&st->visit, &now) : VISIT_OTHER;

	if (verdict == VISIT_OTHER && !is_still_replaced(st, t))
		visit_drop_answer(st);
	return verdict;
}
