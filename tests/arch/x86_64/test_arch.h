/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What tests need to know of the architecture. */
#pragma once
#include <elf.h>
#include <stdbool.h>
#include "core/arch/regs.h"

#define TEST_MACHINE EM_X86_64
#define TEST_MAX_INSTRUCTIONS 60000 /* of a program, as the verifier visits them */
#define TEST_LOST R10		    /* a register that a call may change */
#define TEST_SAVED RBX		    /* one that it may not */
#define TEST_SIGNAL_SP 160	    /* where it lies in the kernel's signal frame; behind it is the PC */
#define TEST_CLASSES CLASS_ELF32
#define TEST_SYS "__x64_sys_"
#define TEST_LOADER "/lib64/ld-linux-x86-64.so.2"
#define TEST_THREAD_START "clone" /* where glibc begins a thread */
#define TEST_VDSO_HAS_CFI true
#define TEST_VISITS_ARE_TOLD true
#define TEST_STOPPED_BEFORE 0 /* so much before where it is does ptrace(2) see a task in a system call */

/* Make the registers those of a task that runs such code. */
static inline void test_set_mode(u64 *reg, bool is_elf32)
{
	reg[CS] = is_elf32 ? USER32_CS : 0;
}

/* Put a call of a register before @behind: call *%rax. */
static inline void test_call(u8 *behind)
{
	behind[-2] = 0xff;
	behind[-1] = 0xd0;
}
