/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The last moment before execve() gives up the program: what was asked for is walked here, without faulting, as the
 * task will not return to user mode with this stack.
 */
#include "unwind.bpf.h"
#include <bpf/bpf_tracing.h>

SEC("tp_btf/sched_prepare_exec")
int BPF_PROG(exec_prepare, struct task_struct *t, struct linux_binprm *bprm)
{
	struct task_state *st = task_find(t);

	if (st)
		unwind(st, bpf_get_current_task_btf());
	return 0;
}
