/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sum up off-CPU time by kernel and user stack.
 *
 * A task that gets a CPU again is still in the kernel, in the function that it left from: its kernel stack can be
 * taken, and its user stack stands still until it returns to user mode. So it is early enough to request that here.
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

/* At the end of schedule(), in the task that gets the CPU. */
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
	/* For consumer 0, with a key of our own: process and kernel stack. */
	dusk_unwind_aggregate(0, (__u64)t->tgid << 32 | dusk_kernel_stack(ctx, SKIP), away_ns, &u);
	return 0;
}
