/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the machine, its files and its registers are called. */
#pragma once
#include <elf.h>
#include <stdbool.h>
#include "core/arch/regs.h"

#define ARCH_NAME "x86-64"
#define ARCH_UNAME "x86_64"
#define ARCH_UNAMES "@(x86_64|i[3-6]86)" /* what 64-bit and 32-bit kernels call it, as a pattern of fnmatch(3) */
#define ARCH_ELF_MACHINE EM_X86_64
#define ARCH_RANDOM_FRAME NULL /* no need to know */

/* Return the name of @reg in specimens. */
static inline const char *input_name(u32 reg)
{
	static const char *const names[INPUT_REGS] = {"rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", "r8",
						      "r9",  "r10", "r11", "r12", "r13", "r14", "r15", "rip", "cs"};

	return names[reg];
}

/* Return the name of @reg in rules, as readelf has it. @compat: of a 32-bit task. */
static inline const char *register_name(u32 reg, bool compat)
{
	static const char *const names[][RIP + 1] = {
		{"rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", "r8", "r9", "r10", "r11", "r12", "r13", "r14",
		 "r15", "ra"},
		{[RAX] = "eax",
		 [RDX] = "edx",
		 [RCX] = "ecx",
		 [RBX] = "ebx",
		 [RBP] = "ebp",
		 [RSP] = "esp",
		 [R12] = "esi",
		 [R13] = "edi",
		 [RIP] = "ra"},
	};

	return reg <= RIP && names[compat][reg] ? names[compat][reg] : "?";
}
