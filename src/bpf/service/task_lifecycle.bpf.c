/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Follow execve() and the end of tasks in the state that is kept of them, and walk last stacks. Each tool runs these
 * programs, for all tools; the first one does the work, and the others find nothing left to do.
 */
#include "bpf/unwind/unwind.bpf.h"
#include <bpf/bpf_tracing.h>

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* Does any consumer want last stacks also of tasks without a request? */
static INLINE bool is_last_wanted(void)
{
	for (u32 slot = 0; slot < MAX_CONSUMERS; slot++)
		if (load_relaxed(&registry.consumer[slot].generation) & 1 &&
		    registry.consumer[slot].flags & DELIVER_LAST)
			return true;
	return false;
}

/*
 * Walk the last stack. The task exits, or execve() gives up its program: it will not return to user mode with this
 * stack, but its memory is still there. So walk it now, without faulting, for pending requests and for later ones.
 *
 * One program, which lib/unwinder/service.c attaches to two tracepoints, as it takes long to verify.
 */
SEC("raw_tp")
int last_stack(void *ctx)
{
	struct task_struct *t = bpf_get_current_task_btf();
	struct task_state *st;

	if (task_has_no_user(t) || !t->mm)
		return 0;
	if (is_last_wanted())
		task_value(t);
	st = task_find(t);
	if (!st || !task_owns(t, st) || task_has_last_stack(t, st))
		return 0;
	last_stack_begin(&st->last_stack, (u64)t, (u64)t->mm, t->self_exec_id);
	if (!load_relaxed(&st->defer.word))
		registers_keep(st, t, 0);
	unwind(st, t, true);
	return 0;
}

/*
 * A thread that calls execve() takes over the process's tid from the dead thread that had it (linux 6.18 fs/exec.c,
 * de_thread()). Its state under its old tid is deleted, and with it its task work, unless a callback is pending in that
 * work. The dead thread's state under the process's tid is recognized by task_owns().
 */
SEC("tp_btf/sched_process_exec")
int BPF_PROG(task_exec, struct task_struct *t, int old_tid, struct linux_binprm *bprm)
{
	u32 tid = old_tid;
	struct task_value *v = bpf_map_lookup_elem(&tasks, &tid);

	if (!v || tid == t->pid)
		return 0;
	task_close(&v->state, tid, EXEC, COUNT_CLOSED_EXEC);
	if (!task_has_pending(&v->state))
		bpf_map_delete_elem(&tasks, &tid);
	return 0;
}

/* There will be no more requests for the task: delete its state. */
SEC("tp_btf/sched_process_free")
int BPF_PROG(task_free, struct task_struct *t)
{
	u32 tid = t->pid;
	struct task_value *v = bpf_map_lookup_elem(&tasks, &tid);

	if (!v || v->state.task != (u64)t)
		return 0;
	task_close(&v->state, tid, EXITING, COUNT_CLOSED_EXITING);
	bpf_map_delete_elem(&tasks, &tid);
	return 0;
}
