/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The kernel's twin: each run as a program for BPF_PROG_TEST_RUN. */
#include "twin.h"

char LICENSE[] __attribute__((section("license"), used)) = "GPL";

struct twin twin SHARED("twin");
u64 twin_table[TWIN_TABLE_WORDS] SHARED("table");
const volatile u32 stack_bits __attribute__((section(".rodata.stacks"))) CORE = TWIN_BITS;
volatile u32 loop_zero CORE;

/* Behind port_peek(): as port_read() on the host, which reads once. */
GLOBAL int port_refuse(u64 addr, u32 len)
{
	return twin.refused;
}

#define PROGRAM(name)                                                        \
	__attribute__((section("syscall"), used)) int twin_##name(void *ctx) \
	{                                                                    \
		run_##name(&twin);                                           \
		return 0;                                                    \
	}
TWIN_RUNS(PROGRAM)
