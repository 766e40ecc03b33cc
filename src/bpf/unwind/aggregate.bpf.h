/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Add amounts to the current task's user stack. */
#pragma once
#include "bpf/common/consumers.bpf.h"
#include "bpf/unwind/request.bpf.h"

/*
 * Add @what to the stack of a request that was answered by @err and @u: at once if the stack is known, else when it is.
 * Between grace_enter() and grace_leave(); in the requesting task, before it leaves the kernel.
 */
CORE void aggregate_resolved(struct task_sum *what, int err, const struct dusk_unwind *u);

/*
 * Move the sums of our consumer @number that wait with task @tid to rows of the aggregation map, under their cookie, as
 * the consumer will not wait for the walk. From any task.
 */
CORE void aggregate_without_stack(u32 number, u32 tid);
