/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where perf_event_open(2) has the registers of core/arch/regs.h: linux uapi/asm/perf_regs.h. */
#pragma once
#include <asm/perf_regs.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include "core/arch/regs.h"

static const uint8_t perf_regs[INPUT_REGS] = {
	PERF_REG_X86_AX,  PERF_REG_X86_DX,  PERF_REG_X86_CX,  PERF_REG_X86_BX,	PERF_REG_X86_SI,  PERF_REG_X86_DI,
	PERF_REG_X86_BP,  PERF_REG_X86_SP,  PERF_REG_X86_R8,  PERF_REG_X86_R9,	PERF_REG_X86_R10, PERF_REG_X86_R11,
	PERF_REG_X86_R12, PERF_REG_X86_R13, PERF_REG_X86_R14, PERF_REG_X86_R15, PERF_REG_X86_IP,  PERF_REG_X86_CS,
};

/* The kinds of tasks whose stacks can be walked, of linux uapi/linux/perf_event.h, enum perf_sample_regs_abi. */
static inline bool perf_regs_are_walked(uint64_t abi)
{
	return abi == PERF_SAMPLE_REGS_ABI_32 || abi == PERF_SAMPLE_REGS_ABI_64;
}

/* Set those of the @missing registers of @ret, a bit each, that follow from @abi. Returns which are missing still. */
static inline uint32_t perf_regs_from_abi(uint64_t *ret, uint32_t missing, uint64_t abi)
{
	if (missing >> CS & 1)
		ret[CS] = abi == PERF_SAMPLE_REGS_ABI_32 ? USER32_CS : 0;
	return missing & ~(1u << CS);
}
