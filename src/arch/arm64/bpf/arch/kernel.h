/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The parts of the kernel's types that arm64 has of its own. A part of bpf/common/kernel.h. */
#pragma once

struct pt_regs {
	u64 regs[31];
	u64 sp, pc, pstate;
	u64 orig_x0;
	s32 syscallno;
};

struct user_pt_regs {
	u64 regs[31];
	u64 sp, pc, pstate;
};

/* As in uapi/linux/bpf_perf_event.h. */
struct bpf_perf_event_data {
	struct user_pt_regs regs;
	u64 sample_period;
	u64 addr;
};

typedef struct {
	void *vdso;
} mm_context_t;

struct cpu_context {
	unsigned long sp;
};

struct thread_struct {
	struct cpu_context cpu_context;
};

struct thread_info {
	unsigned long flags;
	u64 preempt_count; /* the lower half; the other one says whether to reschedule */
};
