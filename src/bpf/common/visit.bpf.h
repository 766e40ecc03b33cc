/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tell one visit of a task to the kernel from the next.
 *
 * Some architectures have a sign of it (bpf/arch/visit.bpf.h): a number that is another one in each visit. Elsewhere, and
 * since 7.1 everywhere, a number to shift the kernel stack with is drawn when a system call begins, from a generator of
 * the CPU (kstack_rnd_state; linux a96ef5848cb0): another state means that there was a system call since; the same state
 * means nothing.
 */
#pragma once
#include "bpf/arch/visit.bpf.h"
#include "bpf/common/registers.bpf.h"

static INLINE struct visit_now visit_now(struct task_struct *t)
{
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(t);
	struct visit_now now = {
		.ns = bpf_ktime_get_ns(),
		.user_ns = t->utime,
		.registers = mix_of_registers(regs),
		.sleeps = t->nvcsw,
		.preemptions = t->nivcsw,
	};
	u32 calls = 0;

	now.in_call = is_in_call(regs);
	now.kept = was_kept(t);
	if (!visit_has_sign(t, &now.sign) && config.kstack_state)
		bpf_probe_read_kernel(&calls, sizeof(calls), (void *)t->se.cfs_rq->rq + config.kstack_state);
	now.calls = calls;
	return now;
}

/* Would @t, the current task, return now to the stack that @st was last requested for? */
static INLINE bool visit_is_here(const struct task_state *st, struct task_struct *t)
{
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(t);

	return st->mm == (u64)t->mm && st->exec_id == t->self_exec_id && st->asked.reg[REG_SP] == pt_regs_sp(regs) &&
	       st->asked.reg[REG_PC] == original_ip(t, pt_regs_pc(regs));
}

/* Drop the answer of an earlier visit, which is not valid in this one. */
static INLINE void visit_drop_answer(struct task_state *st)
{
	st->last.stack = 0;
	st->last.outcome = NOT_SCHEDULED;
}

/*
 * Has @t, the current task, been in user mode since its stack was walked? If it would return to another stack or
 * address, it counts as if it had been. If it has been, the answer is dropped, except that there is no stack in the same
 * execve(). Not inline, as its callers have no BPF stack to spare.
 */
CORE enum visit_verdict visit_of(struct task_state *st, struct task_struct *t);
