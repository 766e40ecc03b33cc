/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Charging what the task has run up to the stack that it stands on: asking for the stack, and keeping the sum. */
#include "bpf/unwind/aggregate.bpf.h"

/* The stack is to come: the sum waits with the task, or if it cannot, under the cookie in the ledger. */
static INLINE void wait_for_stack(struct charge *what, u64 cookie)
{
	struct charge_key elsewhere = { .key = what->key, .cookie = cookie, .kind = CHARGE_DUE };
	struct charge_key late = { .key = what->key, .outcome = WORK_LOST };
	struct task_state *st = task_find(bpf_get_current_task_btf());
	u32 verdict;

	if (!st)
		return;			/* there is one, or there would be no cookie */
	verdict = charges_add(&st->charges, &st->defer, cookie, what);
	if (verdict & CHARGE_ELSEWHERE)
		charge(consumer_slot(what->consumer), &elsewhere, what);
	if (verdict & CHARGE_LATE)
		charge(consumer_slot(what->consumer), &late, what);
	if (verdict & CHARGE_ORPHANED)
		serve_orphans(st);
}

CORE void charge_answered(struct charge *what, int err, const struct dusk_unwind *u)
{
	struct answer a = { .cookie = u->cookie, .stack = u->stack, .outcome = u->outcome };
	struct charge_key final = charge_row(&a, what->key);

	if (err == DUSK_QUEUED || err == DUSK_PENDING)
		wait_for_stack(what, u->cookie);
	else if (err != -ENOENT)
		charge(consumer_slot(what->consumer), &final, what);
}

CORE int dusk_unwind_charge(u32 number, u64 key, u64 amount, struct dusk_unwind *ret)
{
	u32 cpu = bpf_get_smp_processor_id(), phase = grace_enter(&registry.grace, cpu);
	struct charge what = { .key = key, .amount = amount, .count = 1, .consumer = unwind_handle(number) };
	int err = unwind_request(what.consumer, 0, ret);

	charge_answered(&what, err, ret);
	grace_leave(&registry.grace, cpu, phase);
	return err;
}

struct handing_over {
	struct charges *charges;
	u64 cookie;
	u32 handle, pad;
};

TURN(hand_over, struct handing_over, h)
{
	struct charge *c = &at(h->charges->charge, turn);
	struct charge_key due = { .cookie = h->cookie, .kind = CHARGE_DUE };

	if (turn >= h->charges->nr)
		return STOP;
	if (c->consumer != h->handle || !c->count)
		return NEXT;
	due.key = c->key;
	charge(consumer_slot(h->handle), &due, c);
	c->amount = c->part = c->count = 0;
	return NEXT;
}

CORE void charge_without_stack(u32 number, u32 tid)
{
	struct task_value *v = bpf_map_lookup_elem(&tasks, &tid);
	struct handing_over h = { .handle = unwind_handle(number) };
	u64 owner;

	if (!v)
		return;
	h.charges = &v->state.charges;
	owner = load_relaxed(&h.charges->owner);
	h.cookie = owner >> 1;
	if (!h.cookie || !h.handle || !charges_settle(h.charges, h.cookie))
		return;
	loop(TASK_CHARGES, hand_over, &h);
	xchg(&h.charges->owner, owner);
}
