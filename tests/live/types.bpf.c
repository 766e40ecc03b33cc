/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Each kind of program that may ask for stacks, and each function of <dusk/dusk.bpf.h>: for the verifier to look at. */
#include "bpf/arch/registers.bpf.h"
#include <bpf/bpf_helpers.h>
#include <dusk/dusk.bpf.h>

char LICENSE[] SEC("license") = "Dual BSD/GPL";

u64 called_back;

#define ASKS(section, name)                 \
	SEC(section)                        \
	int name(void *ctx)                 \
	{                                   \
		struct dusk_unwind u;       \
                                            \
		dusk_unwind_request(0, &u); \
		return 0;                   \
	}

#define ASKS_AT_UPROBE(section, name)       \
	SEC(section)                        \
	int name(void *ctx)                 \
	{                                   \
		struct dusk_unwind u;       \
                                            \
		dusk_unwind_at_uprobe();    \
		dusk_unwind_request(0, &u); \
		return 0;                   \
	}

#define AGGREGATES(section, name)                        \
	SEC(section)                                     \
	int name(void *ctx)                              \
	{                                                \
		u32 kernel = dusk_kernel_stack(ctx, 0);  \
		struct dusk_unwind u;                    \
                                                         \
		dusk_unwind_aggregate(1, kernel, 1, &u); \
		return 0;                                \
	}

ASKS("raw_tp/sys_enter", asks_raw_tp)
ASKS("tp_btf/sys_enter", asks_tp_btf)
ASKS("tracepoint/sched/sched_switch", asks_tracepoint)
ASKS("kprobe", asks_kprobe)
ASKS_AT_UPROBE("uprobe", asks_uprobe)
ASKS_AT_UPROBE("uprobe.s", asks_uprobe_sleepable)
AGGREGATES("raw_tp/sys_enter", aggregates_raw_tp)
AGGREGATES("tp_btf/sys_enter", aggregates_tp_btf)
AGGREGATES("tracepoint/sched/sched_switch", aggregates_tracepoint)
AGGREGATES("kprobe", aggregates_kprobe)
AGGREGATES("perf_event", aggregates_perf_event)

SEC("uprobe.s")
int walks_uprobe_sleepable(void *ctx)
{
	struct dusk_unwind u;

	return dusk_unwind_now(&u) < 0;
}

SEC("syscall")
int walks_syscall(void *ctx)
{
	struct dusk_unwind u;

	return dusk_unwind_now(&u) < 0;
}

SEC("perf_event")
int asks_perf_event(struct bpf_perf_event_data *ctx)
{
	struct dusk_unwind u;

	dusk_unwind_request_at(0, perf_regs_pc(ctx), &u);
	return 0;
}

int dusk_unwind_done(u32 consumer, u64 cookie, u32 stack, u32 outcome)
{
	__sync_fetch_and_add(&called_back, 1);
	return 0;
}
