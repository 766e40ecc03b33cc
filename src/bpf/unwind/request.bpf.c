/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Answer a request: schedule task work, join a pending walk, or say why there is no stack.
 *
 * This file is compiled twice, once for each name that the kfunc has in different kernels (doc/kernel.md).
 */
#include "bpf/common/resolve.bpf.h"
#include "bpf/common/registers.bpf.h"
#include "bpf/unwind/request.bpf.h"

#ifdef TASK_WORK_IMPL /* 6.18 and 6.19 */
extern int bpf_task_work_schedule_resume_impl(struct task_struct *task, struct bpf_task_work *tw, void *map__map,
					      bpf_task_work_callback_t callback, void *aux__prog) __ksym;
#define schedule_resume(...) bpf_task_work_schedule_resume_impl(__VA_ARGS__, NULL)
#else /* since 7.0 */
extern int bpf_task_work_schedule_resume(struct task_struct *task, struct bpf_task_work *tw, void *map__map,
					 bpf_task_work_callback_t callback) __ksym;
#define schedule_resume(...) bpf_task_work_schedule_resume(__VA_ARGS__)
#endif

static INLINE u64 fresh_cookie(void)
{
	u32 zero = 0;
	u64 *given = bpf_map_lookup_elem(&cookies, &zero);

	return given ? defer_cookie(bpf_get_smp_processor_id(), load_relaxed(&registry.cpu_bits) & 31,
				    __sync_fetch_and_add(given, 1) + 1)
		     : 0;
}

/*
 * The kernel refused the task work: end the cookie, for this and all requests that have joined since. Returns @err, or
 * DUSK_EXECUTED.
 *
 * -EBUSY although no request was pending: either a walk has already resolved its requests, but its task work has not
 * returned; so the task has not been in user mode since, and the stack is still the same, unless execve() has come in
 * between. Or the kernel is giving up the element, or task work scheduled from an interrupt has not been added yet: then
 * visit_of() has dropped the last answer, as the task has been in user mode since, unless that was in the same execve().
 */
static INLINE int close(struct task_state *st, struct task_struct *t, int err, struct dusk_unwind *ret)
{
	struct event_stack e = {.kind = EVENT_STACK, .outcome = NOT_SCHEDULED, .pid = t->tgid, .tid = t->pid};

	if (err == -EBUSY && (st->last.outcome != NOT_SCHEDULED || st->last_mm != st->mm))
		err = DUSK_EXECUTED;
	if (err == DUSK_EXECUTED && st->last_mm == st->mm) {
		e.outcome = st->last.outcome;
		e.stack = st->last.stack;
		if (e.outcome == STACKMAP_FULL)
			e.same_as = st->last.cookie;
	} else if (err == DUSK_EXECUTED) {
		e.outcome = EXEC_NEW;
	}
	count(err == DUSK_EXECUTED ? COUNT_AFTERWARDS : COUNT_REFUSED_SCHEDULE, 1);
	resolve(st, NULL, &e, NULL);
	ret->stack = e.stack;
	ret->outcome = e.outcome;
	return err;
}

/*
 * Our tool has to do a callback, but another tool's task work will walk: schedule task work of our own. If it runs
 * before the other one, it walks. -EBUSY is no error: it is scheduled and has not begun, as it removes its element
 * first.
 */
static INLINE int see_to_callback(struct task_struct *t)
{
	struct own_work blank = {}, *o;
	u32 tid = t->pid;
	int err;

	bpf_map_update_elem(&own, &tid, &blank, BPF_NOEXIST);
	o = bpf_map_lookup_elem(&own, &tid);
	if (!o)
		return -ENOSPC;
	err = schedule_resume(t, &o->work, &own, unwind_due);
	return err == -EBUSY ? 0 : err;
}

static INLINE int ask(struct task_struct *t, u32 slot, u64 ip, struct dusk_unwind *ret)
{
	bool exiting = t->flags & PF_EXITING; /* then the walk is done at sched_process_exit (task_lifecycle.bpf.c) */
	enum defer_verdict verdict;
	struct task_value *v;
	u64 fresh = 0;
	int err = find_asked(t, &v, ret);

	if (err)
		return err;
	if (load_relaxed(&v->state.pending) & consumers_here.callbacks)
		run_pending(&v->state); /* our task work has not run yet, and there is room for one answer only */
	if (!load_relaxed(&v->state.defer.word)) {
		switch (visit_of(&v->state, t)) {
		case VISIT_SAME: return tell_last(&v->state, ret);
		case VISIT_UNKNOWN: return refuse(ret, ASKED_AGAIN, COUNT_REFUSED_AGAIN, -EAGAIN);
		case VISIT_OTHER:
		case VISIT_POSSIBLE:
			fresh = fresh_cookie();
			if (!fresh)
				return refuse(ret, NO_COOKIE, COUNT_REFUSED_NO_COOKIE, -EOVERFLOW);
		}
	}
	verdict = defer_request(&v->state.defer, slot, fresh, &ret->cookie);
	if (verdict == DEFER_CONTENDED)
		return refuse(ret, CONTENDED, COUNT_REFUSED_CONTENDED, -EAGAIN);
	if (verdict == DEFER_SCHEDULE)
		registers_keep(&v->state, t, ip);
	if (verdict != DEFER_SCHEDULE || exiting) {
		err = 0;
		if (verdict != DEFER_REPEAT && consumers_here.callbacks >> slot & 1 &&
		    v->state.scheduler != config.tool)
			err = see_to_callback(t);
		if (err) {
			defer_cancel(&v->state.defer, slot);
			ret->cookie = 0;
			return refuse(ret, NOT_SCHEDULED, COUNT_REFUSED_SCHEDULE, err);
		}
		if (verdict != DEFER_SCHEDULE)
			fetch_add(&v->state.joined, 1);
		count(verdict == DEFER_SCHEDULE ? COUNT_SCHEDULED : COUNT_JOINED, 1);
		return verdict == DEFER_SCHEDULE ? DUSK_QUEUED : DUSK_PENDING;
	}
	v->state.scheduler = config.tool;
	err = schedule_resume(t, &v->work, &tasks, unwind_due);
	if (err)
		return close(&v->state, t, err, ret);
	count(COUNT_SCHEDULED, 1);
	visit_drop_answer(&v->state);
	return DUSK_QUEUED;
}

static INLINE int request(u32 handle, u64 ip, struct dusk_unwind *ret)
{
	u32 cpu = bpf_get_smp_processor_id(), phase = grace_enter(&registry.grace, cpu);
	int err = -ENOENT;

	ret->cookie = 0;
	ret->stack = 0;
	ret->outcome = NOT_SCHEDULED;
	if (registry_has(&registry, handle))
		err = ask(bpf_get_current_task_btf(), consumer_slot(handle), ip, ret);
	err = verifier_unknown(err);
	if (err == DUSK_EXECUTED)
		stackmap_again(ret->stack, 1);
	grace_leave(&registry.grace, cpu, phase);
	return err;
}

/* request() is inlined in each: a call would take a BPF stack frame more, and callers have few to spare. */
CORE int unwind_request(u32 handle, u64 ip, struct dusk_unwind *ret)
{
	return request(handle, ip, ret);
}

CORE int dusk_unwind_request_at(u32 number, u64 ip, struct dusk_unwind *ret)
{
	return request(unwind_handle(number), ip, ret);
}

CORE int dusk_unwind_request(u32 number, struct dusk_unwind *ret)
{
	return request(unwind_handle(number), 0, ret);
}
