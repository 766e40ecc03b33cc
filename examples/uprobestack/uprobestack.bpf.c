/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Request the user stack of each task that reaches a function or a USDT mark. */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <bpf/usdt.bpf.h>
#include <dusk/dusk.bpf.h>

char LICENSE[] SEC("license") = "Dual BSD/GPL";

__u64 hits;

SEC("uprobe")
int BPF_KPROBE(function)
{
	struct dusk_unwind u;

	__sync_fetch_and_add(&hits, 1);
	dusk_unwind_at_uprobe();
	dusk_unwind_request(0, &u);
	return 0;
}

SEC("usdt")
int BPF_USDT(mark)
{
	struct dusk_unwind u;

	__sync_fetch_and_add(&hits, 1);
	dusk_unwind_at_uprobe();
	dusk_unwind_request(0, &u);
	return 0;
}
