/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A tool with a callback that requests a stack: the end of a cookie would call the request, and this the end of a cookie. */
#include "bpf/common/kernel.h"
#include <bpf/bpf_helpers.h>
#include <dusk/dusk.bpf.h>

char LICENSE[] SEC("license") = "Dual BSD/GPL";

SEC("raw_tp/sys_enter")
int ask(void *ctx)
{
	struct dusk_unwind u;

	dusk_unwind_request(0, &u);
	return 0;
}

int dusk_unwind_done(u32 consumer, u64 cookie, u32 stack, u32 outcome)
{
	struct dusk_unwind u;

	return dusk_unwind_request(consumer, &u);
}
