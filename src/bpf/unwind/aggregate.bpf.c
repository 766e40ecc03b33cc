/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Add amounts to a task's user stack: request the stack, and keep the sums until it is known. */
#include "bpf/unwind/aggregate.bpf.h"

/* The stack is pending: keep the sum with the task or, if there is no room, in the aggregation map under the cookie. */
static INLINE void wait_for_stack(struct task_sum *what, u64 cookie)
{
	struct aggregation_key elsewhere = {.key = what->key, .cookie = cookie, .kind = SUM_DUE};
	struct aggregation_key late = {.key = what->key, .outcome = WORK_LOST};
	struct task_state *st = task_find(bpf_get_current_task_btf());
	u32 verdict;

	if (!st)
		return; /* does not happen: a task with a cookie has a state */
	verdict = task_sums_add(&st->sums, &st->defer, cookie, what);
	if (verdict & SUM_ELSEWHERE)
		add_sum(consumer_slot(what->consumer), &elsewhere, what);
	if (verdict & SUM_LATE)
		add_sum(consumer_slot(what->consumer), &late, what);
	if (verdict & SUM_ORPHANED)
		deliver_orphans(st);
}

CORE void aggregate_resolved(struct task_sum *what, int err, const struct dusk_unwind *u)
{
	struct answer a = {.cookie = u->cookie, .stack = u->stack, .outcome = u->outcome};
	struct aggregation_key final = aggregation_row(&a, what->key);

	if (err == DUSK_QUEUED || err == DUSK_PENDING)
		wait_for_stack(what, u->cookie);
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
