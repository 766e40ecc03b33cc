/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tell one visit of a task to the kernel from the next.
 *
 * On x86, linux 6.18 mixes the time stamp counter into a number of the task (kstack_offset) on each way to user mode,
 * from system calls, exceptions and interrupts, to shift the kernel stack in the next system call:
 * arch_exit_to_user_mode_prepare() (arch/x86/include/asm/entry-common.h). The same number means the same visit, with an
 * error of one in 4 billion. It stays 0 where randomize_kstack_offset is off. Since 7.1 the number is drawn when a
 * system call begins, from a generator of the CPU (kstack_rnd_state; linux a96ef5848cb0): another state means that
 * there was a system call since; the same state means nothing.
 */
#pragma once
#include "bpf/common/registers.bpf.h"

/*
 * Set when a task leaves its CPU, and cleared when it goes to user mode (linux 6.18 arch/x86/include/asm/fpu/sched.h
 * and entry-common.h); this bit since 6.18 (asm/thread_info.h).
 */
#define TIF_NEED_FPU_LOAD 19

static INLINE struct visit_now visit_now(struct task_struct *t)
{
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(t);
	struct visit_now now = {
		.ns = bpf_ktime_get_ns(),
		.user_ns = t->utime,
		.sleeps = t->nvcsw,
		.preemptions = t->nivcsw,
	};
	u32 calls = 0;

	now.in_call = (s64)regs->orig_ax >= 0 &&
		      (s64)regs->ax == -ENOSYS; /* as entry code sets it (arch/x86/entry/entry_64.S) */
	now.kept = t->thread_info.flags >> TIF_NEED_FPU_LOAD & 1;
	if (bpf_core_field_exists(t->kstack_offset))
		now.sign = t->kstack_offset;
	else if (config.kstack_state)
		bpf_probe_read_kernel(&calls, sizeof(calls), (void *)t->se.cfs_rq->rq + config.kstack_state);
	now.calls = calls;
	return now;
}

/* Would @t, the current task, return now to the stack that @st was last requested for? */
static INLINE bool visit_is_here(const struct task_state *st, struct task_struct *t)
{
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(t);

	return st->mm == (u64)t->mm && st->exec_id == t->self_exec_id && st->asked.reg[RSP] == regs->sp &&
	       st->asked.reg[RIP] == original_ip(t, regs->ip);
}

/*
 * Has @t, the current task, been in user mode since its stack was walked? If it would return to another stack or
 * address, it counts as if it had been. Not inline, as its callers have no BPF stack to spare.
 */
CORE enum visit_verdict visit_of(struct task_state *st, struct task_struct *t);
