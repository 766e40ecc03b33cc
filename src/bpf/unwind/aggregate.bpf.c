/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Add amounts to a task's user stack: request the stack, and keep the sums until it is known. */
#include "bpf/unwind/aggregate.bpf.h"
#include "core/shared/wait_for_stack.h"

static INLINE void sums_enter_row(struct aggregation_key *key, struct task_sum *what)
{
	add_sum(consumer_slot(what->consumer), key, what);
}

static INLINE void sums_enter_orphans(struct task_state *st)
{
	deliver_orphans(st);
}

/* The stack of @cookie is pending. */
static INLINE void keep_until_walked(struct task_sum *what, u64 cookie)
{
	struct task_state *st = task_find(bpf_get_current_task_btf());

	if (st) /* a task with a cookie has a state */
		wait_for_stack(st, &st->sums, &st->defer, cookie, what);
}

CORE void aggregate_resolved(struct task_sum *what, int err, const struct dusk_unwind *u)
{
	struct answer a = {.cookie = u->cookie, .stack = u->stack, .outcome = u->outcome};
	struct aggregation_key final = aggregation_row(&a, what->key);

	if (err == DUSK_QUEUED || err == DUSK_PENDING)
		keep_until_walked(what, u->cookie);
	else if (err != -ENOENT)
		add_sum(consumer_slot(what->consumer), &final, what);
}

CORE int dusk_unwind_aggregate(u32 number, u64 key, u64 amount, struct dusk_unwind *ret)
{
	u32 cpu = bpf_get_smp_processor_id(), phase = grace_enter(&registry.grace, cpu);
	struct task_sum what = {.key = key, .amount = amount, .count = 1, .consumer = unwind_handle(number)};
	int err = unwind_request(what.consumer, 0, ret);

	aggregate_resolved(&what, err, ret);
	grace_leave(&registry.grace, cpu, phase);
	return err;
}

struct handing_over {
	struct task_sums *sums;
	u64 cookie;
	u32 handle, pad;
};

TURN(hand_over, struct handing_over, h)
{
	struct task_sum *c = &at(h->sums->sum, turn);
	struct aggregation_key due = {.cookie = h->cookie, .kind = SUM_DUE};

	if (turn >= h->sums->nr)
		return STOP;
	if (c->consumer != h->handle || !c->count)
		return NEXT;
	due.key = c->key;
	add_sum(consumer_slot(h->handle), &due, c);
	c->amount = c->part = c->count = 0;
	return NEXT;
}

CORE void aggregate_without_stack(u32 number, u32 tid)
{
	struct task_value *v = bpf_map_lookup_elem(&tasks, &tid);
	struct handing_over h = {.handle = unwind_handle(number)};
	u64 owner;

	if (!v)
		return;
	h.sums = &v->state.sums;
	owner = load_relaxed(&h.sums->owner);
	h.cookie = owner >> 1;
	if (!h.cookie || !h.handle || !task_sums_take(h.sums, h.cookie))
		return;
	loop(TASK_SUMS, hand_over, &h);
	xchg(&h.sums->owner, owner);
}
