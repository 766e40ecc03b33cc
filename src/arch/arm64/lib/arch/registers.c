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
	memcpy(ret, r->regs, sizeof(r->regs));
	ret[REG_SP] = r->sp;
	ret[REG_PC] = r->pc;
}

int halt_read(pid_t tid, struct user_regs_struct *ret)
{
	struct iovec io = {ret, sizeof(*ret)};

	if (ptrace(PTRACE_GETREGSET, tid, (void *)NT_PRSTATUS, &io))
		return -errno;
	return io.iov_len == sizeof(*ret) ? 0 : -EOPNOTSUPP; /* of a 32-bit task they are others */
}
