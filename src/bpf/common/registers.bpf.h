/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Take a task's user registers from the kernel's pt_regs, by DWARF number. */
#pragma once
#include "bpf/arch/registers.bpf.h"
#include "bpf/common/context.bpf.h"
#include "bpf/common/maps.h"
#include <bpf/bpf_core_read.h>

/* The address of the original instruction: @ip, or the one that @ip is a uprobe's copy of. Copies have no CFI. */
static INLINE u64 original_ip(struct task_struct *t, u64 ip)
{
	struct uprobe_task *probed;
	u64 copy, into;

	if (!bpf_core_field_exists(t->utask))
		return ip;
	probed = t->utask;
	if (!probed)
		return ip;
	copy = probed->xol_vaddr;
	into = ip - copy;
	return copy && into < COPY_BYTES ? probed->vaddr + into : ip;
}

/* Copy @regs of @t, which is the current task or off CPU, to @ret. */
static INLINE void registers_take(struct registers *ret, struct task_struct *t, const struct pt_regs *regs)
{
	registers_copy(ret, t, regs, original_ip(t, pt_regs_pc(regs)));
	ret->call = call_of(t, regs);
	regs_settle(ret->reg);
}

/*
 * Save in @st what the walk of @t starts from. @ip: the instruction that the requester has interrupted; 0: none, or
 * unknown in an NMI. Only an NMI can interrupt the code that saves the user's registers.
 */
static INLINE void registers_keep(struct task_state *st, struct task_struct *t, u64 ip)
{
	st->torn = is_saving_registers(ip);
	st->tgid = t->tgid;
	st->mm = (u64)t->mm;
	st->exec_id = t->self_exec_id;
	registers_take(&st->asked, t, (struct pt_regs *)bpf_task_pt_regs(t));
	if (NMI_MAY_FIND_TORN_REGISTERS && !ip && preempt_count(t) & IN_NMI)
		st->torn = 1;
	if (registers_are_torn(&st->asked))
		st->torn = 1;
}
