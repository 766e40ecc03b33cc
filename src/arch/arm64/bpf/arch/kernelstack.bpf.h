/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The outermost frames of system calls on arm64. */
#pragma once
#include "bpf/common/kernelframes.bpf.h"

#define ENTRY_FRAMES 8 /* more than those from invoke_syscall() on: five call it in Linux 7.2 */

/*
 * How many outermost frames of a system call's stack @s follow from their callee: in 64-bit tasks there is one way to
 * invoke_syscall(), @random_frame, which leaves out some of the stack at random (linux 6.18 arch/arm64/kernel/syscall.c). 0: it is not there.
 * @room: a word to work in.
 */
static INLINE u32 frames_that_follow(const struct stack *s, const volatile struct kernel_text *random_frame, u32 *room)
{
	*room = 0;
	each (i, ENTRY_FRAMES)
		if (i < s->nr && is_in(at(s->frame, s->nr - 1 - i), random_frame))
			*room = i;
	return *room;
}
