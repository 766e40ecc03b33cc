/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Off-CPU time by kernel and user stack.
 *
 * A task that comes back to a CPU is still in the kernel, in the function that it left from: its kernel stack is there
 * to be taken, and its user stack stands still until it returns to user mode. So now is early enough to ask for that.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <dusk/dusk.bpf.h>

char LICENSE[] SEC("license") = "Dual BSD/GPL";

#define SKIP 3 /* frames: this program, bpf_trace_run1(), __schedule() */

const volatile int only_pid;

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, __u64);
} left_ns SEC(".maps");

SEC("tp_btf/sched_switch")
int BPF_PROG(leave, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	__u64 *left;

	if (!prev->pid || (only_pid && prev->tgid != only_pid))
		return 0;
	left = bpf_task_storage_get(&left_ns, prev, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (left)
		*left = bpf_ktime_get_ns();
	return 0;
}

/* The end of schedule(), in the task that comes back. */
SEC("tp_btf/sched_exit_tp")
int BPF_PROG(on_sched_in, bool is_switch)
{
	struct task_struct *t = bpf_get_current_task_btf();
	__u64 *left = bpf_task_storage_get(&left_ns, t, NULL, 0), away_ns;
	struct dusk_unwind u;

	if (!left || !*left)
		return 0;
	away_ns = bpf_ktime_get_ns() - *left;
	*left = 0;
	/* To consumer 0, under a key of ours: process and kernel stack. */
	dusk_unwind_aggregate(0, (__u64)t->tgid << 32 | dusk_kernel_stack(ctx, SKIP), away_ns, &u);
	return 0;
}
