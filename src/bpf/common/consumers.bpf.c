/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Deliver to consumers: events to ring buffers, sums to aggregation maps, callbacks. */
#include "bpf/common/consumers.bpf.h"
#include "bpf/common/emit.bpf.h"
#include <dusk/dusk.bpf.h>

/* Default for tools that define none, as no consumer of theirs has DUSK_DELIVER_CALLBACK. */
__attribute__((weak, noinline)) int dusk_unwind_done(u32 consumer, u64 cookie, u32 stack, u32 outcome)
{
	return 0;
}

/* Send the sum to the ring of the consumer at @slot instead, if its flags contain @such; else count it as lost. */
static INLINE void sum_by_ring(u32 slot, u32 such, const struct aggregation_key *key, const struct task_sum *what)
{
	struct consumer *c = &at(registry.consumer, slot & (MAX_CONSUMERS - 1));
	void *ring = c->flags & such ? bpf_map_lookup_elem(&rings, &slot) : NULL;
	struct event_sum *e = ring ? bpf_ringbuf_reserve(ring, sizeof(*e), 0) : NULL;

	if (!e) {
		fetch_add(&c->lost_sums, what->count);
		return;
	}
	e->kind = EVENT_SUM;
	e->pad = 0;
	e->time_ns = bpf_ktime_get_ns();
	e->key = *key;
	e->sum.amount = what->amount;
	e->sum.part = what->part;
	e->sum.count = what->count;
	bpf_ringbuf_submit(e, wakeup(ring, false));
}

static struct task_sum no_sum; /* all 0: for a row that says only which stack it was */

GLOBAL int add_sum(u32 slot, struct aggregation_key *key NONNULL, struct task_sum *what NONNULL)
{
	void *aggregation = bpf_map_lookup_elem(&aggregations, &slot);
	struct aggregation_sum fresh = {}, *sum;

	if (!aggregation)
		return 0;
	if (key->outcome ==
	    STACKMAP_FULL) { /* to the ring, next to its stack: so no one has to be kept for the other */
		sum_by_ring(slot, DELIVER_INLINE, key, what);
		return 0;
	}
	sum = bpf_map_lookup_elem(aggregation, key);
	if (!sum) {
		bpf_map_update_elem(aggregation, key, &fresh, BPF_NOEXIST);
		sum = bpf_map_lookup_elem(aggregation, key);
	}
	if (!sum) {
		sum_by_ring(slot, DELIVER_OVERFLOW, key, what);
		return 0;
	}
	fetch_add(&sum->amount, what->amount);
	fetch_add(&sum->part, what->part);
	fetch_add(&sum->count, what->count);
	return 0;
}

struct delivery {
	struct task_state *st;
	struct answer answer; /* a copy of st->last, which the answer to an interrupt's request may change meanwhile */
	struct event_stack *event;
	struct stack *frames;
	u32 consumers; /* as defer_take() returns them */
};

static INLINE bool is_open(const struct consumer *c)
{
	return load_acquire(&c->generation) & 1;
}

/* Enter one of the task's sums. */
static long deliver_sum(u32 turn, void *ctx)
{
	struct delivery *s = ctx;
	struct task_sum *c = &at(s->st->sums.sum, turn);
	struct aggregation_key key = aggregation_row(&s->answer, c->key);

	if (turn >= s->st->sums.nr)
		return STOP;
	if (registry_has(&registry, c->consumer))
		add_sum(consumer_slot(c->consumer), &key, c);
	return NEXT;
}

static INLINE void settle(struct delivery *s)
{
	struct task_sums *c = &s->st->sums;

	bpf_loop(TASK_SUMS, deliver_sum, s, 0);
	task_sums_release(c);
}

GLOBAL int deliver_orphans(struct task_state *st NONNULL)
{
	struct delivery s = {.st = st, .answer = {.outcome = WORK_LOST}};

	settle(&s);
	return 0;
}

static INLINE void call_back(u32 slot, const struct answer *a)
{
	u32 number = at(consumers_here.callback, slot);

	if (number)
		dusk_unwind_done(number - 1, a->cookie, a->stack, a->outcome);
}

/* The consumer's tool has scheduled task work of its own (request.bpf.c), which will do the callback. */
static INLINE void set_pending(struct task_state *st, u32 slot, const struct answer *a)
{
	if (load_relaxed(&st->pending) >> slot & 1)
		fetch_add(&at(registry.consumer, slot).lost_stacks, 1);
	at(st->pending_answer, slot) = *a;
	fetch_or(&st->pending, 1u << slot);
}

static long deliver_to_consumer(u32 slot, void *ctx)
{
	struct delivery *s = ctx;
	struct consumer *c = &at(registry.consumer, slot);
	struct aggregation_key resolved = {
		.kind = SUM_RESOLVED,
		.cookie = s->answer.cookie,
		.stack = s->answer.stack,
		.outcome = s->answer.outcome,
	};
	bool is_inline = s->answer.outcome == STACKMAP_FULL;
	void *ring;

	if (!((s->consumers & DEFER_ALL) >> slot))
		return STOP;
	if (!(s->consumers >> slot & 1) || !is_open(c))
		return NEXT;
	if (c->flags & DELIVER_RING || (is_inline && c->flags & DELIVER_INLINE)) {
		ring = bpf_map_lookup_elem(&rings, &slot);
		if (!ring || emit(ring, s->event, sizeof(*s->event), s->frames, c->flags & DELIVER_AT_ONCE))
			fetch_add(&c->lost_stacks, 1);
	}
	if (s->consumers & DEFER_ELSEWHERE && c->flags & DELIVER_SUMS && !is_inline)
		add_sum(slot, &resolved, &no_sum);
	if (c->flags & DELIVER_CALLBACK) {
		if (consumers_here.callbacks >> slot & 1)
			call_back(slot, &s->answer);
		else
			set_pending(s->st, slot, &s->answer);
	}
	return NEXT;
}

GLOBAL int deliver_to_consumers(struct task_state *st NONNULL, struct event_stack *e NONNULL, struct stack *frames,
				u32 consumers)
{
	struct delivery s = {.st = st, .event = e, .frames = frames, .consumers = consumers};

	s.answer.cookie = e->cookie;
	s.answer.stack = e->stack;
	s.answer.outcome = resolved_outcome(e, frames);
	if (task_sums_take(&st->sums, e->cookie))
		settle(&s);
	bpf_loop(MAX_CONSUMERS, deliver_to_consumer, &s, 0);
	return 0;
}

static long run_one_pending(u32 slot, void *ctx)
{
	struct delivery *s = ctx;

	if (s->consumers >> slot & 1)
		call_back(slot, &at(s->st->pending_answer, slot));
	return NEXT;
}

GLOBAL int run_pending(struct task_state *st NONNULL)
{
	u32 cpu = bpf_get_smp_processor_id(), phase = grace_enter(&registry.grace, cpu);
	u32 ours = consumers_here.callbacks;
	struct delivery s = {.st = st};

	s.consumers = fetch_and(&st->pending, ~ours) & ours;
	if (s.consumers)
		bpf_loop(MAX_CONSUMERS, run_one_pending, &s, 0);
	grace_leave(&registry.grace, cpu, phase);
	return 0;
}

static long tell_of_module(u32 slot, void *ctx)
{
	struct event_module *e = *(struct event_module **)ctx;
	struct consumer *c = &at(registry.consumer, slot);
	void *ring;

	if (!is_open(c) || !(c->flags & DELIVER_MODULES))
		return NEXT;
	ring = bpf_map_lookup_elem(&rings, &slot);
	/* Wake the reader: the file is certain to be found under its path only while the process lives. */
	if (!ring || emit(ring, e, sizeof(*e), NULL, true))
		fetch_add(&c->lost_modules, 1);
	return NEXT;
}

CORE void deliver_module(struct event_module *e)
{
	u32 cpu = bpf_get_smp_processor_id(), phase = grace_enter(&registry.grace, cpu);

	bpf_map_update_elem(&named, &e->id, e, BPF_ANY);
	bpf_loop(MAX_CONSUMERS, tell_of_module, &e, 0);
	grace_leave(&registry.grace, cpu, phase);
}
