/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The parts of the kernel's types that x86-64 has of its own. A part of bpf/common/kernel.h. */
#pragma once

struct pt_regs {
	unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di, orig_ax, ip;
	unsigned short cs;
	unsigned long flags, sp;
};

/* As in uapi/linux/bpf_perf_event.h; its regs have the layout of struct pt_regs. */
struct bpf_perf_event_data {
	struct pt_regs regs;
	u64 sample_period;
	u64 addr;
};

struct vdso_image {
	long sym_int80_landing_pad; /* not 0: the vDSO of 32-bit tasks */
};

typedef struct {
	void *vdso;
	const struct vdso_image *vdso_image;
} mm_context_t;

struct thread_struct {
	unsigned long sp, fsbase;
};

struct thread_info {
	unsigned long flags;
	u32 status;
};
