/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tasks change and end: what we keep of them follows. Each tool runs these programs for all; the first one does the
 * work, and the others find nothing left to do.
 */
#include "unwind.bpf.h"
#include <bpf/bpf_tracing.h>

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/*
 * The last moment before execve() gives up the program: what was asked for is walked here, without faulting, as the
 * task will not return to user mode with this stack.
 */
SEC("tp_btf/sched_prepare_exec")
int BPF_PROG(exec_prepare, struct task_struct *t, struct linux_binprm *bprm)
{
	struct task_state *st = task_find(t);

	if (st)
		unwind(st, bpf_get_current_task_btf());
	return 0;
}

/*
 * The task @tid is gone, or goes by another tid. Its element goes too, and with it its task work; unless a program is
 * to call back in that work.
 */
static INLINE void forget_task(struct task_struct *t, u32 tid, u32 why, enum counter counter)
{
	struct task_value *v = bpf_map_lookup_elem(&tasks, &tid);

	if (!v)
		return;
	task_close(&v->state, t, tid, why, counter);
	if (!task_owes(&v->state))
		bpf_map_delete_elem(&tasks, &tid);
}

/* A thread that calls execve() takes over the process's tid (linux 6.18 fs/exec.c, de_thread()). */
SEC("tp_btf/sched_process_exec")
int BPF_PROG(task_exec, struct task_struct *t, int old_tid, struct linux_binprm *bprm)
{
	if (old_tid != t->pid)
		forget_task(t, old_tid, EXEC, COUNT_CLOSED_EXEC);
	return 0;
}

/* Memory is still there, but the task will not see user mode again: pending task work would find nothing to read. */
SEC("tp_btf/sched_process_exit")
int BPF_PROG(task_exit, struct task_struct *t)
{
	forget_task(t, t->pid, EXITING, COUNT_CLOSED_EXITING);
	return 0;
}
