/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the machine, its files and its registers are called. */
#pragma once
#include <elf.h>
#include <stdbool.h>
#include "core/arch/regs.h"

#define ARCH_NAME "arm64"
#define ARCH_UNAME "aarch64"
#define ARCH_UNAMES "@(aarch64|armv8*)" /* what 64-bit and 32-bit kernels call it, as a pattern of fnmatch(3) */
#define ARCH_ELF_MACHINE EM_AARCH64
#define ARCH_RANDOM_FRAME "invoke_syscall" /* whose frame has a random size: filter.random_frame */

/* Return the name of @reg in specimens. */
static inline const char *input_name(u32 reg)
{
	static const char *const names[INPUT_REGS] = {
		"x0",  "x1",  "x2",  "x3",  "x4",  "x5",  "x6",	 "x7",	"x8",  "x9",  "x10",
		"x11", "x12", "x13", "x14", "x15", "x16", "x17", "pc",	"x19", "x20", "x21",
		"x22", "x23", "x24", "x25", "x26", "x27", "x28", "x29", "x30", "sp",
	};

	return names[reg];
}

/* Return the name of @reg in rules, as readelf has it. @compat: of a 32-bit task. */
static inline const char *register_name(u32 reg, bool compat)
{
	if (reg >= NR_REGS)
		return "?";
	return reg == REG_RA ? "ra" : reg == LOST ? "x18" : input_name(reg);
}
