/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "visit.h"
#include <linux/cleanup.h>
#include <linux/irqflags.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/unwind_deferred.h>

#ifndef CONFIG_UNWIND_USER
#error "the kernel keeps nothing of a visit: CONFIG_UNWIND_USER is needed"
#endif

/* Tracers of the kernel's get the lowest bits that are free. A bit of which it knows no tracer is left alone. */
#define REQUESTED BIT(BITS_PER_LONG - 1)
#define EXECUTED BIT(BITS_PER_LONG - 2)

static enum visit_state state_of(unsigned long word)
{
	return word & EXECUTED ? VISIT_EXECUTED : word & REQUESTED ? VISIT_PENDING : VISIT_NEW;
}

enum visit_state visit_state(void)
{
	return state_of(atomic_long_read(&current->unwind_info.unwind_mask));
}

/* UNWIND_USED stays if the request is withdrawn: without any bit, the cookie would not be cleared. */
enum visit_state visit_request(void)
{
	return state_of(atomic_long_fetch_or(REQUESTED | UNWIND_USED, &current->unwind_info.unwind_mask));
}

void visit_withdraw(void)
{
	atomic_long_andnot(REQUESTED, &current->unwind_info.unwind_mask);
}

/* Even, and never 0: counts of the kernel's cookies are odd, so no two visits of a CPU have the same one. */
static u32 fresh_count(void)
{
	static DEFINE_PER_CPU(u32, counts);
	u32 count = this_cpu_add_return(counts, 2);

	return count ?: this_cpu_add_return(counts, 2);
}

/* An NMI in between, or a tracer of the kernel's in it, finds the count and completes it as we do. */
u64 visit_cookie(void)
{
	union unwind_task_id *id = &current->unwind_info.id;
	u32 none = 0;

	guard(irqsave)();
	if (!READ_ONCE(id->cpu)) {
		if (!READ_ONCE(id->cnt))
			try_cmpxchg(&id->cnt, &none, fresh_count());
		WRITE_ONCE(id->cpu, smp_processor_id() + 1);
	}
	return READ_ONCE(id->id);
}

/* An NMI may request a walk when the cookie is about to be cleared: the walk is then in the next visit, and of its registers. */
void visit_executed(u64 cookie)
{
	u64 none = 0;

	atomic_long_or(UNWIND_USED, &current->unwind_info.unwind_mask);
	if (try_cmpxchg(&current->unwind_info.id.id, &none, cookie) || none == cookie)
		atomic_long_or(REQUESTED | EXECUTED, &current->unwind_info.unwind_mask);
}
