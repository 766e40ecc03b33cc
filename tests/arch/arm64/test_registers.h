/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The registers that getcontext(3) has saved, in the order of core/arch/regs.h. */
#pragma once
#include <ucontext.h>
#include "core/arch/regs.h"

static inline void test_registers(u64 *ret, const ucontext_t *c)
{
	for (int i = 0; i < SP; i++)
		ret[i] = c->uc_mcontext.regs[i];
	ret[REG_SP] = c->uc_mcontext.sp;
	ret[REG_PC] = c->uc_mcontext.pc;
}

/* Samples of perf have these registers, each as its number there plus 100: x0 and so on, the PC in the place of x18. */
#define TEST_PERF_MASK 0x1fffbffffULL
#define TEST_PERF_REGS                                                                                                \
	100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115, 116, 117, 132, 119, 120, 121, \
		122, 123, 124, 125, 126, 127, 128, 129, 130, 131
#define TEST_PERF_LAST 132
