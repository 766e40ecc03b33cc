/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/process/halt.h"
#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include "core/regs.h"
#include "lib/error.h"

#define PATIENCE_MS 2000

/* Returns 0, -ETIMEDOUT or -ESRCH. */
static int wait_for_stop(pid_t tid)
{
	struct timespec ms = {.tv_nsec = 1000000};
	int status;
	pid_t got;

	for (int i = 0; i < PATIENCE_MS; i++) {
		got = waitpid(tid, &status, __WALL | WNOHANG);
		if (got < 0 || (got == tid && !WIFSTOPPED(status)))
			return -ESRCH;
		if (got == tid && status >> 16 == PTRACE_EVENT_STOP)
			return 0;
		if (got == tid) /* another signal came first: pass it on */
			ptrace(PTRACE_CONT, tid, NULL, (void *)(long)WSTOPSIG(status));
		nanosleep(&ms, NULL);
	}
	return -ETIMEDOUT;
}

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

static int read_registers(pid_t tid, u64 *regs)
{
	struct user_regs_struct r;
	int err = halt_read(tid, &r);

	if (!err)
		halt_registers(regs, &r);
	return err;
}

int halt_begin(pid_t tid, u64 *regs, struct dusk_error *err)
{
	int ret;

	if (ptrace(PTRACE_SEIZE, tid, NULL, NULL))
		return error_set(err, -errno, "cannot halt thread %d: %s%s", tid, strerror(errno),
				 errno == EPERM ? "; be root, or its owner, and let no other debugger have it" : "");
	ret = ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) ? -errno : wait_for_stop(tid);
	if (!ret)
		ret = read_registers(tid, regs);
	if (!ret)
		return 0;
	halt_end(tid);
	if (ret == -ETIMEDOUT)
		return error_set(err, ret, "thread %d does not halt: it sleeps in the kernel (state D), or is frozen",
				 tid);
	return error_set(err, ret, "cannot halt thread %d: %s", tid, strerror(-ret));
}

void halt_end(pid_t tid)
{
	ptrace(PTRACE_DETACH, tid, NULL, NULL);
}
