/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The outermost frames of system calls on x86-64. */
#pragma once
#include "bpf/common/maps.h"

/*
 * How many outermost frames of a system call's stack @s follow from their callee: only the entry code calls
 * do_syscall_64(), which leaves out some of the stack at random (linux 6.18 arch/x86/entry/syscall_64.c).
 */
static INLINE u32 frames_that_follow(const struct stack *s, const volatile struct kernel_text *random_frame, u32 *room)
{
	return 1;
}
