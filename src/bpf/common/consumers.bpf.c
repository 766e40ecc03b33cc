/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "bpf/common/consumers.bpf.h"
#include "bpf/common/emit.bpf.h"
#include <dusk/dusk.bpf.h>

/* For tools that have no consumer to be called back. */
__attribute__((weak, noinline)) int dusk_unwind_done(u32 consumer, u64 cookie, u32 stack, u32 outcome)
{
	return 0;
}

/* To the ring rather, of a consumer that wants @such. */
static INLINE void charge_by_ring(u32 slot, u32 such, const struct charge_key *key, const struct charge *what)
{
	struct consumer *c = &at(registry.consumer, slot & (MAX_CONSUMERS - 1));
	void *ring = c->flags & such ? bpf_map_lookup_elem(&rings, &slot) : NULL;
	struct event_charge *e = ring ? bpf_ringbuf_reserve(ring, sizeof(*e), 0) : NULL;

	if (!e) {
		fetch_add(&c->lost_charges, what->count);
		return;
	}
	e->kind = EVENT_CHARGE;
	e->pad = 0;
	e->time_ns = bpf_ktime_get_ns();
	e->key = *key;
	e->sum.amount = what->amount;
	e->sum.part = what->part;
	e->sum.count = what->count;
	bpf_ringbuf_submit(e, wakeup(ring, false));
}

static struct charge no_charge;		/* a row without a sum */

GLOBAL int charge(u32 slot, struct charge_key *key NONNULL, struct charge *what NONNULL)
{
	void *ledger = bpf_map_lookup_elem(&ledgers, &slot);
	struct charge_sum fresh = {}, *sum;

	if (!ledger)
		return 0;
	if (key->outcome == STACKMAP_FULL) {	/* beside its stack: nobody has to remember one for the other */
		charge_by_ring(slot, SERVE_WHOLE, key, what);
		return 0;
	}
	sum = bpf_map_lookup_elem(ledger, key);
	if (!sum) {
		bpf_map_update_elem(ledger, key, &fresh, BPF_NOEXIST);
		sum = bpf_map_lookup_elem(ledger, key);
	}
	if (!sum) {
		charge_by_ring(slot, SERVE_OVERFLOW, key, what);
		return 0;
	}
	fetch_add(&sum->amount, what->amount);
	fetch_add(&sum->part, what->part);
	fetch_add(&sum->count, what->count);
	return 0;
}

struct serving {
	struct task_state *st;
	struct answer answer;		/* not st->last: an interrupt may ask, and be answered, while we serve */
	struct event_stack *event;
	struct stack *frames;
	u32 consumers;			/* as defer_take() has it */
};

static INLINE bool is_open(const struct consumer *c)
{
	return load_acquire(&c->generation) & 1;
}

/* A sum of the task's. */
static long serve_charge(u32 turn, void *ctx)
{
	struct serving *s = ctx;
	struct charge *c = &at(s->st->charges.charge, turn);
	struct charge_key key = charge_row(&s->answer, c->key);

	if (turn >= s->st->charges.nr)
		return STOP;
	if (registry_has(&registry, c->consumer))
		charge(consumer_slot(c->consumer), &key, c);
	return NEXT;
}

static INLINE void settle(struct serving *s)
{
	struct charges *c = &s->st->charges;

	bpf_loop(TASK_CHARGES, serve_charge, s, 0);
	charges_settled(c);
}

GLOBAL int serve_orphans(struct task_state *st NONNULL)
{
	struct serving s = { .st = st, .answer = { .outcome = WORK_LOST } };

	settle(&s);
	return 0;
}

static INLINE void call_back(u32 slot, const struct answer *a)
{
	u32 number = at(consumers_here.callback, slot);

	if (number)
		dusk_unwind_done(number - 1, a->cookie, a->stack, a->outcome);
}

/* The consumer's program has task work of its own on the way (request.bpf.c). */
static INLINE void owe(struct task_state *st, u32 slot, const struct answer *a)
{
	if (load_relaxed(&st->owes) >> slot & 1)
		fetch_add(&at(registry.consumer, slot).lost_stacks, 1);
	at(st->owed, slot) = *a;
	fetch_or(&st->owes, 1u << slot);
}

static long serve_consumer(u32 slot, void *ctx)
{
	struct serving *s = ctx;
	struct consumer *c = &at(registry.consumer, slot);
	struct charge_key resolved = {
		.kind = CHARGE_RESOLVED, .cookie = s->answer.cookie, .stack = s->answer.stack,
		.outcome = s->answer.outcome,
	};
	bool whole = s->answer.outcome == STACKMAP_FULL;
	void *ring;

	if (!((s->consumers & DEFER_ALL) >> slot))
		return STOP;
	if (!(s->consumers >> slot & 1) || !is_open(c))
		return NEXT;
	if (c->flags & SERVE_RING || (whole && c->flags & SERVE_WHOLE)) {
		ring = bpf_map_lookup_elem(&rings, &slot);
		if (!ring || emit(ring, s->event, sizeof(*s->event), s->frames, c->flags & SERVE_AT_ONCE))
			fetch_add(&c->lost_stacks, 1);
	}
	if (s->consumers & DEFER_ELSEWHERE && c->flags & SERVE_LEDGER && !whole)
		charge(slot, &resolved, &no_charge);
	if (c->flags & SERVE_CALLBACK) {
		if (consumers_here.callbacks >> slot & 1)
			call_back(slot, &s->answer);
		else
			owe(s->st, slot, &s->answer);
	}
	return NEXT;
}

GLOBAL int serve_consumers(struct task_state *st NONNULL, struct event_stack *e NONNULL, struct stack *frames,
			   u32 consumers)
{
	struct serving s = { .st = st, .event = e, .frames = frames, .consumers = consumers };

	s.answer.cookie = e->cookie;
	s.answer.stack = e->stack;
	s.answer.outcome = answer_outcome(e, frames);
	if (charges_settle(&st->charges, e->cookie))
		settle(&s);
	bpf_loop(MAX_CONSUMERS, serve_consumer, &s, 0);
	return 0;
}

static long serve_one_owed(u32 slot, void *ctx)
{
	struct serving *s = ctx;

	if (s->consumers >> slot & 1)
		call_back(slot, &at(s->st->owed, slot));
	return NEXT;
}

GLOBAL int serve_owed(struct task_state *st NONNULL)
{
	u32 cpu = bpf_get_smp_processor_id(), phase = grace_enter(&registry.grace, cpu);
	u32 ours = consumers_here.callbacks;
	struct serving s = { .st = st };

	s.consumers = fetch_and(&st->owes, ~ours) & ours;
	if (s.consumers)
		bpf_loop(MAX_CONSUMERS, serve_one_owed, &s, 0);
	grace_leave(&registry.grace, cpu, phase);
	return 0;
}

static long tell_of_module(u32 slot, void *ctx)
{
	struct event_module *e = *(struct event_module **)ctx;
	struct consumer *c = &at(registry.consumer, slot);
	void *ring;

	if (!is_open(c) || !(c->flags & SERVE_MODULES))
		return NEXT;
	ring = bpf_map_lookup_elem(&rings, &slot);
	/* The reader is woken: only while the process lives, is the file sure to be found under its path. */
	if (!ring || emit(ring, e, sizeof(*e), NULL, true))
		fetch_add(&c->lost_modules, 1);
	return NEXT;
}

CORE void serve_module(struct event_module *e)
{
	u32 cpu = bpf_get_smp_processor_id(), phase = grace_enter(&registry.grace, cpu);

	bpf_map_update_elem(&named, &e->id, e, BPF_ANY);
	bpf_loop(MAX_CONSUMERS, tell_of_module, &e, 0);
	grace_leave(&registry.grace, cpu, phase);
}
