/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* visit_of(), as a function that other files call. */
#include "bpf/common/visit.bpf.h"

CORE enum visit_verdict visit_of(struct task_state *st, struct task_struct *t)
{
	struct visit_now now = visit_now(t);

	return visit_is_here(st, t) ? visit_of_request(&st->visit, &now) : VISIT_OTHER;
}
