/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The registers that ptrace(2) shows, in the order of core/arch/regs.h. */
#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include "core/arch/regs.h"
#include "lib/process/halt.h"

void halt_registers(u64 *ret, const struct user_regs_struct *r)
{
	const u64 regs[] = {r->rax, r->rdx, r->rcx, r->rbx, r->rsi, r->rdi, r->rbp, r->rsp, r->r8,
			    r->r9,  r->r10, r->r11, r->r12, r->r13, r->r14, r->r15, r->rip, r->cs};

	memcpy(ret, regs, sizeof(regs));
	regs_settle(ret);
}

/* The registers of a 32-bit task (arch/x86/include/asm/user_32.h, struct user_regs_struct). */
struct registers32 {
	u32 bx, cx, dx, si, di, bp, ax, ds, es, fs, gs, orig_ax, ip, cs, flags, sp, ss;
};

static void widen(struct user_regs_struct *ret, const struct registers32 *r)
{
	*ret = (struct user_regs_struct){
		.rax = r->ax,
		.rbx = r->bx,
		.rcx = r->cx,
		.rdx = r->dx,
		.rsi = r->si,
		.rdi = r->di,
		.rbp = r->bp,
		.rsp = r->sp,
		.rip = r->ip,
		.cs = r->cs,
		.ss = r->ss,
		.eflags = r->flags,
		.orig_rax = (s64)(s32)r->orig_ax,
	};
}

int halt_read(pid_t tid, struct user_regs_struct *ret)
{
	union {
		struct user_regs_struct wide;
		struct registers32 narrow;
	} r;
	struct iovec io = {&r, sizeof(r)};

	if (ptrace(PTRACE_GETREGSET, tid, (void *)NT_PRSTATUS, &io))
		return -errno;
	if (io.iov_len == sizeof(r.narrow))
		widen(ret, &r.narrow);
	else
		*ret = r.wide;
	return 0;
}
