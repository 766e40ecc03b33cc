/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Charging what the task has run up to the stack that it stands on: asking for the stack, and keeping the sum. */
#include "consumers.bpf.h"
#include "request.bpf.h"

/* The stack is to come: the sum waits with the task, or if it cannot, under the cookie in the ledger. */
static INLINE void wait_for_stack(u32 slot, u64 key, u64 amount, u64 cookie)
{
	struct charge_key due = { .key = key, .cookie = cookie, .kind = CHARGE_DUE };
	struct task_state *st = task_find(bpf_get_current_task_btf());

	if (!st || !charges_add(&st->charges, cookie, slot, key, amount))
		charge(slot, &due, amount, 1);
}

CORE int dusk_unwind_charge(u32 number, u64 key, u64 amount, struct dusk_unwind *ret)
{
	u32 handle = at(consumers_here.handle, number & (MAX_CONSUMERS - 1)), slot = consumer_slot(handle);
	u32 cpu = bpf_get_smp_processor_id(), phase = grace_enter(&registry.grace, cpu);
	int err = dusk_unwind_request_at(number, 0, ret);
	struct charge_key final = { .key = key, .stack = ret->stack, .outcome = ret->outcome };

	if (err == DUSK_QUEUED || err == DUSK_PENDING)
		wait_for_stack(slot, key, amount, ret->cookie);
	else if (err != -ENOENT)
		charge(slot, &final, amount, 1);
	grace_leave(&registry.grace, cpu, phase);
	return err;
}
