/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reading the target's memory where we may not sleep: what is not there cannot be had. */
#include "bpf/common/port.bpf.h"

CORE int port_fetch(void *dst, u32 len, u64 addr)
{
	return -EACCES;
}

const volatile u32 lock_looks SEC(".rodata.lock") CORE = 0;
