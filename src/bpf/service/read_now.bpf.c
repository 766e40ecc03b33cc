/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Read the target's memory where sleeping is not allowed: pages that are not in memory cannot be read. */
#include "bpf/common/port.bpf.h"

CORE int port_wait(void *dst, u32 len, u64 addr)
{
	return -EACCES;
}

const volatile u32 lock_looks SEC(".rodata.lock") CORE = 0;
