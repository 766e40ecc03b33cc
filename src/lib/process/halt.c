/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/process/halt.h"
#include <errno.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
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
