/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * From a request to scheduled task work, or to the reason why not.
 *
 * This file is compiled twice, once for each name that kernels give the one kfunc (doc/kernel.md).
 */
#include "emit.bpf.h"
#include "registers.bpf.h"
#include "request.bpf.h"

#define USER32_CS 0x23

#ifdef TASK_WORK_IMPL		/* 6.18 and 6.19 */
extern int bpf_task_work_schedule_resume_impl(struct task_struct *task, struct bpf_task_work *tw, void *map__map,
					      bpf_task_work_callback_t callback, void *aux__prog) __ksym;
#define schedule_resume(...) bpf_task_work_schedule_resume_impl(__VA_ARGS__, NULL)
#else				/* since 7.0 */
extern int bpf_task_work_schedule_resume(struct task_struct *task, struct bpf_task_work *tw, void *map__map,
					 bpf_task_work_callback_t callback) __ksym;
#define schedule_resume(...) bpf_task_work_schedule_resume(__VA_ARGS__)
#endif

static INLINE u64 fresh_cookie(void)
{
	u32 zero = 0;
	u64 *given = bpf_map_lookup_elem(&cookies, &zero);

	return given ? defer_cookie(bpf_get_smp_processor_id(), __sync_fetch_and_add(given, 1) + 1) : 0;
}

static INLINE void take_snapshot(struct task_state *st, struct task_struct *t, const struct pt_regs *regs, u64 ip)
{
	st->torn = ip >= config.entry_text_start && ip < config.entry_text_end;
	st->mm = (u64)t->mm;
	st->exec_id = t->self_exec_id;
	registers_take(&st->asked, regs);
}

/* Nothing was scheduled for @cookie: say so to all who wait for it by now. */
static INLINE void close(struct task_state *st, struct task_struct *t, int err)
{
	struct event_stack e = { .kind = EVENT_STACK, .outcome = NOT_SCHEDULED, .pid = t->tgid, .tid = t->pid };

	/*
	 * Busy although nobody had asked: a walk has served its requests already, but the callback that was to do it
	 * has not returned. So the task has not been to user mode since, and the stack is still that one, unless
	 * execve() has come in between.
	 */
	if (err == -EBUSY && st->last_mm == st->mm) {
		e.outcome = st->last_outcome;
		e.stack = st->last_stack;
	} else if (err == -EBUSY) {
		e.outcome = EXEC_NEW;
	}
	count(e.outcome == NOT_SCHEDULED ? COUNT_REFUSED_SCHEDULE : COUNT_AFTERWARDS, 1);
	defer_take(&st->defer, &e.cookie);
	emit_stack(&e, NULL);
}

CORE u64 request_stack(struct task_struct *t, u32 who, u64 ip, u8 *why)
{
	struct pt_regs *regs;
	struct task_state *st;
	u64 cookie = 0;
	int err;

	count(COUNT_REQUESTS, 1);
	if (t->flags & PF_EXITING) {
		count(COUNT_REFUSED_EXITING, 1);
		*why = EXITING;
		return 0;
	}
	regs = (struct pt_regs *)bpf_task_pt_regs(t);
	if (regs->cs == USER32_CS) {
		count(COUNT_REFUSED_COMPAT, 1);
		*why = COMPAT;
		return 0;
	}
	st = task_state(t);
	if (!st) {
		count(COUNT_REFUSED_NO_STATE, 1);
		*why = NO_TASK_STATE;
		return 0;
	}

	switch (defer_request(&st->defer, who, fresh_cookie(), &cookie)) {
	case DEFER_JOIN:
	case DEFER_REPEAT:
		count(COUNT_JOINED, 1);
		return cookie;
	case DEFER_CONTENDED:
		count(COUNT_REFUSED_CONTENDED, 1);
		*why = CONTENDED;
		return 0;
	case DEFER_SCHEDULE:
		break;
	}
	take_snapshot(st, t, regs, ip);
	err = schedule_resume(t, &st->work, &tasks, unwind_due);
	if (err)
		close(st, t, err);
	else
		count(COUNT_SCHEDULED, 1);
	return cookie;
}
