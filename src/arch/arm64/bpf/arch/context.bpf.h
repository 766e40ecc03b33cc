/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Of a task: its thread pointer, and the preemption count, which arm64 keeps with the task. */
#pragma once
#include "bpf/common/maps.h"

/* Return the preemption count of this CPU, which is that of the current task @t. */
static INLINE u32 preempt_count(struct task_struct *t)
{
	return t->thread_info.preempt_count;
}

/*
 * Return 0: where pthread_self() lies from the thread pointer depends on the C library and its version. So there are no frames of
 * languages.
 */
static INLINE u64 thread_pointer(struct task_struct *t)
{
	return 0;
}
