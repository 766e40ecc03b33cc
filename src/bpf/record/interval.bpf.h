/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* An off-CPU interval that has ended: an event of its own, or a part of a sum. */
#pragma once
#include "bpf/common/emit.bpf.h"
#include "bpf/common/task.bpf.h"
#include "bpf/record/kernelstack.bpf.h"
#include "bpf/record/recorder.bpf.h"
#include "bpf/record/sched_state.bpf.h"
#include "bpf/unwind/aggregate.bpf.h"
#include "bpf/unwind/scratch.bpf.h"
#include "abi/offcpu.h"

/* The event, in scratch memory behind the kernel's frames: the functions that we call need the BPF stack. */
static INLINE struct event_offcpu *interval_event(struct stack *s)
{
	return (struct event_offcpu *)&s->frame[MAX_KERNEL_FRAMES];
}

static INLINE void interval_fill(struct event_offcpu *e, struct task_struct *t, const struct task_sched_state *w,
				 u64 now_ns)
{
	memset(e, 0, sizeof(*e));
	e->kind = EVENT_OFFCPU;
	e->cpu = bpf_get_smp_processor_id();
	e->time_ns = now_ns;
	e->off_ns = now_ns - w->since_ns;
	e->runnable_ns = task_runnable_ns(t, w, e->off_ns);
	e->state = w->state;
	e->cgroup = task_cgroup(t);
	e->pid = t->tgid;
	e->tid = w->tid;
}

/* No lock is needed: the thread cannot be woken again before its next sched-out, which comes after this. */
static INLINE void interval_take_waker(struct event_offcpu *e, struct task_sched_state *w)
{
	if (!w->waker.kind)
		return;
	e->woken = 1;
	__builtin_memcpy(e->frame, &w->waker, sizeof(w->waker));
	w->waker.kind = WAKER_NONE;
}

/*
 * Decide whether to record this interval, where not all can be. Off-CPU intervals of at least certain_ns are always
 * recorded; a shorter one with probability off_ns / certain_ns. A recorded short one then stands for certain_ns, so
 * that the sums are right on average. False: not this one.
 */
static INLINE bool interval_is_selected(struct event_offcpu *e)
{
	u64 certain_ns = load_relaxed(&times.certain_ns), off_ns = e->off_ns;

	e->count = 1;
	if (off_ns >= certain_ns)
		return true;
	if ((bpf_get_prandom_u32() * certain_ns) >> 32 >= off_ns)
		return false;
	e->sampled = 1;
	e->count = (certain_ns + bpf_get_prandom_u32() % off_ns) / off_ns;
	e->runnable_ns = e->runnable_ns * certain_ns / off_ns;
	e->off_ns = certain_ns;
	count(COUNT_OFFCPU_STOOD_FOR, e->count - 1);
	return true;
}

/* Send the interval as an event of its own. */
static INLINE void send_interval(struct event_offcpu *e, const struct dusk_unwind *u, struct stack *s)
{
	bool is_inline = !e->kernel_stack && s->nr;

	if (is_inline)
		count_total(COUNT_STACKS_INLINE, 1);
	e->cookie = u->cookie;
	e->user_stack = u->stack;
	e->outcome = u->outcome;
	e->nr = is_inline ? s->nr : 0;
	bpf_get_current_comm(e->comm, sizeof(e->comm));
	if (emit(&events, e, sizeof(*e) + (e->woken ? sizeof(struct event_waker) : 0), is_inline ? s : NULL, false))
		count(COUNT_LOST_OFFCPU, e->count);
}

/* Add the interval to the sum of its thread, stacks and off-CPU reason. */
static INLINE void aggregate(const struct event_offcpu *e, int err, const struct dusk_unwind *u)
{
	struct task_sum what = {
		.key = offcpu_key(e->tid, e->kernel_stack, e->state),
		.amount = e->off_ns,
		.part = e->runnable_ns,
		.count = e->count,
		.consumer = unwind_handle(CONSUMER_RECORDER),
	};
	u32 cpu = bpf_get_smp_processor_id(), phase = grace_enter(&registry.grace, cpu);

	aggregate_resolved(&what, err, u);
	grace_leave(&registry.grace, cpu, phase);
}

/* Request the stack that was answered at once again, to compare both: the event gets this cookie, too. */
static INLINE void verify(struct event_offcpu *e, struct dusk_unwind *u)
{
	struct dusk_unwind again;

	dusk_unwind_request(CONSUMER_RECORDER, &again);
	u->cookie = again.cookie;
	e->cached = again.cookie != 0;
}

/* Find the stacks of the interval in @e, and send it or add it to a sum. @s is scratch memory. */
static INLINE void interval_record(struct event_offcpu *e, void *ctx, struct stack *s)
{
	struct dusk_unwind u;
	int err;

	e->kernel_stack = kernelstack_of_interval(ctx, s);
	err = dusk_unwind_try(&u);
	if (err < 0)
		err = dusk_unwind_request(CONSUMER_RECORDER, &u);
	else if (filter.verify)
		verify(e, &u);
	err = verifier_unknown(err);
	if ((!e->sampled && e->off_ns >= filter.min_block_ns) || (!e->kernel_stack && s->nr))
		send_interval(e, &u, s);
	else
		aggregate(e, err, &u);
}
