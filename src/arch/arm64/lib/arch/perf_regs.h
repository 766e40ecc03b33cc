/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where perf_event_open(2) has the registers of core/arch/regs.h: linux uapi/asm/perf_regs.h. */
#pragma once
#include <asm/perf_regs.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include "core/arch/regs.h"

static const uint8_t perf_regs[INPUT_REGS] = {
	PERF_REG_ARM64_X0,  PERF_REG_ARM64_X1,	PERF_REG_ARM64_X2,  PERF_REG_ARM64_X3,	PERF_REG_ARM64_X4,
	PERF_REG_ARM64_X5,  PERF_REG_ARM64_X6,	PERF_REG_ARM64_X7,  PERF_REG_ARM64_X8,	PERF_REG_ARM64_X9,
	PERF_REG_ARM64_X10, PERF_REG_ARM64_X11, PERF_REG_ARM64_X12, PERF_REG_ARM64_X13, PERF_REG_ARM64_X14,
	PERF_REG_ARM64_X15, PERF_REG_ARM64_X16, PERF_REG_ARM64_X17, PERF_REG_ARM64_PC,	PERF_REG_ARM64_X19,
	PERF_REG_ARM64_X20, PERF_REG_ARM64_X21, PERF_REG_ARM64_X22, PERF_REG_ARM64_X23, PERF_REG_ARM64_X24,
	PERF_REG_ARM64_X25, PERF_REG_ARM64_X26, PERF_REG_ARM64_X27, PERF_REG_ARM64_X28, PERF_REG_ARM64_X29,
	PERF_REG_ARM64_LR,  PERF_REG_ARM64_SP,
};

/* The kinds of tasks whose stacks can be walked, of linux uapi/linux/perf_event.h, enum perf_sample_regs_abi. */
static inline bool perf_regs_are_walked(uint64_t abi)
{
	return abi == PERF_SAMPLE_REGS_ABI_64;
}

/* Set those of the @missing registers of @ret, a bit each, that follow from @abi. Returns which are missing still. */
static inline uint32_t perf_regs_from_abi(uint64_t *ret, uint32_t missing, uint64_t abi)
{
	return missing;
}
