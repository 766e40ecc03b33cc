/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Whom a recording looks at follows the lives of tasks: children of what is profiled are profiled. */
#include "recorder.bpf.h"
#include <bpf/bpf_tracing.h>

char LICENSE[] SEC("license") = "Dual BSD/GPL";

struct events_map events SEC(".maps");
struct wanted_map wanted SEC(".maps");
struct cgroup_map cgroup SEC(".maps");
const volatile struct filter filter SEC(".rodata.filter") CORE = {};

SEC("tp_btf/sched_process_fork")
int BPF_PROG(wanted_born, struct task_struct *parent, struct task_struct *child)
{
	struct wanted_key process = { parent->tgid, WANT_PROCESS }, thread = { parent->pid, WANT_THREAD };
	u32 yes = 1;

	if (!filter.filter_tasks)
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

SEC("tp_btf/sched_process_exit")
int BPF_PROG(wanted_exit, struct task_struct *t)
{
	struct wanted_key process = { t->tgid, WANT_PROCESS }, thread = { t->pid, WANT_THREAD };

	if (!filter.filter_tasks)
		return 0;
	bpf_map_delete_elem(&wanted, &thread);
	if (t->signal->live.counter == 0)
		bpf_map_delete_elem(&wanted, &process);
	return 0;
}
