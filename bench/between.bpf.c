/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Two programs at each switch, with the run-queue lock held: what was attached after the first and before the second is
 * run between them, and its time is taken.
 */
#include "bpf/common/kernel.h"
#include <bpf/bpf_helpers.h>
#include "between.h"

u64 begin[BETWEEN_CPUS];
u64 nr_times;
u32 times[BETWEEN_TIMES];

SEC("tp_btf/sched_switch")
int first(void *ctx)
{
	begin[bpf_get_smp_processor_id() & (BETWEEN_CPUS - 1)] = bpf_ktime_get_ns();
	return 0;
}

SEC("tp_btf/sched_switch")
int second(void *ctx)
{
	u64 took = bpf_ktime_get_ns() - begin[bpf_get_smp_processor_id() & (BETWEEN_CPUS - 1)];

	times[__sync_fetch_and_add(&nr_times, 1) & (BETWEEN_TIMES - 1)] = took;
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
