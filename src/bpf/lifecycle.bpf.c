/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Tasks are born, change and end: what we keep of them follows. */
#include "task.bpf.h"
#include <bpf/bpf_tracing.h>

/* Children of what is profiled are profiled. */
SEC("tp_btf/sched_process_fork")
int BPF_PROG(task_born, struct task_struct *parent, struct task_struct *child)
{
	struct wanted_key process = { parent->tgid, WANT_PROCESS }, thread = { parent->pid, WANT_THREAD };
	u32 yes = 1;

	if (!config.filter_tasks)
		return 0;
	if (bpf_map_lookup_elem(&wanted, &process)) {
		process.id = child->tgid;
		bpf_map_update_elem(&wanted, &process, &yes, BPF_ANY);
	}
	if (bpf_map_lookup_elem(&wanted, &thread)) {
		thread.id = child->pid;
		bpf_map_update_elem(&wanted, &thread, &yes, BPF_ANY);
	}
	return 0;
}

/* A thread that calls execve() takes over the process's tid (linux 6.18 fs/exec.c, de_thread()). */
SEC("tp_btf/sched_process_exec")
int BPF_PROG(task_exec, struct task_struct *t, int old_tid, struct linux_binprm *bprm)
{
	if (old_tid != t->pid)
		task_forget(t->tgid, old_tid, EXEC);
	return 0;
}

/* Memory is still there, but the task will not see user mode again: pending task work would find nothing to read. */
SEC("tp_btf/sched_process_exit")
int BPF_PROG(task_exit, struct task_struct *t)
{
	struct wanted_key process = { t->tgid, WANT_PROCESS }, thread = { t->pid, WANT_THREAD };

	task_forget(t->tgid, t->pid, EXITING);
	if (!config.filter_tasks)
		return 0;
	bpf_map_delete_elem(&wanted, &thread);
	if (t->signal->live.counter == 0)
		bpf_map_delete_elem(&wanted, &process);
	return 0;
}
