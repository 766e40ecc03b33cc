/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What tests need to know of the architecture. */
#pragma once
#include <elf.h>
#include <stdbool.h>
#include "core/arch/regs.h"

#define TEST_MACHINE EM_AARCH64
#define TEST_MAX_INSTRUCTIONS 66000 /* of a program, as the verifier of Linux 7.2 visits them */
#define TEST_LOST 9		    /* a register that a call may change */
#define TEST_SAVED X19		    /* one that it may not */
#define TEST_SIGNAL_SP 560	    /* where it lies in the kernel's signal frame; behind it is the PC */
#define TEST_CLASSES 0
#define TEST_SYS "__arm64_sys_" /* what the names of system calls begin with */
#define TEST_LOADER "/lib/ld-linux-aarch64.so.1"
#define TEST_THREAD_START "^(libc\\.so\\.6\\+0x[0-9a-f]+|thread_start)$" /* of glibc: no dynamic symbol */
#define TEST_VDSO_HAS_CFI false	   /* by which elfutils could leave its functions, and handlers of signals */
#define TEST_VISITS_ARE_TOLD false /* of the kernel, one from the next: doc/kernel.md */
#define TEST_STOPPED_BEFORE \
	4 /* so much before where it is does ptrace(2) see a task in a system call that would begin anew */

/* Make the registers those of a task that runs such code. There is one kind. */
static inline void test_set_mode(u64 *reg, bool is_elf32)
{
}

/* Put a call of a register before @behind: blr x0. */
static inline void test_call(u8 *behind)
{
	behind[-4] = behind[-3] = 0;
	behind[-2] = 0x3f;
	behind[-1] = 0xd6;
}
