/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The preemption count of arm64, which is kept with the task. */
#pragma once
#include "bpf/common/maps.h"

/* Return the preemption count of this CPU, which is that of the current task @t. */
static INLINE u32 preempt_count(struct task_struct *t)
{
	return t->thread_info.preempt_count;
}
