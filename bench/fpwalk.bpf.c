/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What does the kernel's own frame-pointer walk of a user stack cost, where profilers call it: in the timer's
 * interrupt?
 */
#include "bpf/common/kernel.h"
#include <bpf/bpf_helpers.h>
#include "fpwalk.h"

#define USER_STACK (1 << 8) /* BPF_F_USER_STACK */

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 20);
} walks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u64[FPWALK_FRAMES]);
} frames SEC(".maps");

const volatile u32 wanted_tgid = 0;

SEC("perf_event")
int fpwalk(struct bpf_perf_event_data *ctx)
{
	u32 zero = 0;
	u64 *out = bpf_map_lookup_elem(&frames, &zero), start;
	struct fpwalk_event w;
	long bytes;

	if (!out || bpf_get_current_pid_tgid() >> 32 != wanted_tgid)
		return 0;
	start = bpf_ktime_get_ns();
	bytes = bpf_get_stack(ctx, out, FPWALK_FRAMES * sizeof(u64), USER_STACK);
	w.walk_ns = bpf_ktime_get_ns() - start;
	w.nr = bytes > 0 ? bytes / sizeof(u64) : 0;
	bpf_ringbuf_output(&walks, &w, sizeof(w), BPF_RB_NO_WAKEUP); /* a wake-up is an interrupt */
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
