/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* End a cookie: deliver to the consumers that wait for it, and keep the answer for later requests. */
#pragma once
#include "bpf/common/consumers.bpf.h"
#include "bpf/common/stackmap.bpf.h"
#include "bpf/common/task.bpf.h"
#include "bpf/common/visit.bpf.h"

/*
 * Deliver @e to the consumers that wait in @st; its cookie is taken from the deferral word. @frames: the frames of an
 * inline stack, or NULL.
 *
 * @t: the current task, which @st belongs to: the answer is valid until it returns to user mode. NULL: the answer is
 * not kept for later requests of this visit.
 */
static INLINE void resolve(struct task_state *st, struct task_struct *t, struct event_stack *e, struct stack *frames)
{
	u64 cookie = e->same_as ? e->same_as : load_relaxed(&st->defer.word) >> DEFER_BITS;
	u32 cpu = bpf_get_smp_processor_id(), phase, consumers, outcome = resolved_outcome(e, frames);
	struct visit_now now = {};

	if (t)
		now = visit_now(t);
	resolve_publish(&st->last, cookie, e->stack, outcome, &st->last_stack, &st->visit, t ? &now : NULL, e->walk_ns);
	st->last_mm = st->mm;
	st->scheduler = 0;
	consumers = resolve_take(&registry.grace, cpu, &phase, &st->defer, &e->cookie);
	stackmap_again(e->stack, xchg(&st->joined, 0));
	if (e->cookie)
		deliver_to_consumers(st, e, frames, consumers);
	grace_leave(&registry.grace, cpu, phase);
}

/*
 * End the cookie of @st, of task @tid, without a walk, with outcome @why; @counter counts it. Does nothing if there is
 * no cookie.
 */
static INLINE void task_close(struct task_state *st, u32 tid, u32 why, enum counter counter)
{
	struct event_stack e = {.kind = EVENT_STACK, .outcome = why, .tid = tid};

	if (!load_relaxed(&st->defer.word))
		return;
	e.pid = st->tgid;
	count_total(counter, 1);
	resolve(st, NULL, &e, NULL);
}
