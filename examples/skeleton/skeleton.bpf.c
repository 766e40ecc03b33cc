/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Request the user stack of each task that creates a process or a thread. */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <dusk/dusk.bpf.h>

char LICENSE[] SEC("license") = "Dual BSD/GPL";

SEC("tp_btf/sched_process_fork")
int BPF_PROG(born, struct task_struct *parent, struct task_struct *child)
{
	struct dusk_unwind u;

	dusk_unwind_request(0, &u); /* for consumer 0; on_stack() gets u.cookie */
	return 0;
}
