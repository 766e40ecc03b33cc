/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The registers that getcontext(3) has saved, in the order of core/arch/regs.h. */
#pragma once
#include <ucontext.h>
#include "core/arch/regs.h"

static inline void test_registers(u64 *ret, const ucontext_t *c)
{
	static const int from[] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
				   REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};

	for (int i = 0; i < CS; i++)
		ret[i] = c->uc_mcontext.gregs[from[i]];
	ret[CS] = 0x33;
}

/* Samples of perf have these registers, each as its number there plus 100: rax, rdx, rcx, rbx, rsi and so on. */
#define TEST_PERF_MASK 0xff05ffULL
#define TEST_PERF_REGS 100, 103, 102, 101, 104, 105, 106, 107, 116, 117, 118, 119, 120, 121, 122, 123, 108, 110
#define TEST_PERF_LAST 123
