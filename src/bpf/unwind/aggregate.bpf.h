/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Charging the current task's user stack with what the task has run up. */
#pragma once
#include "bpf/common/consumers.bpf.h"
#include "bpf/unwind/request.bpf.h"

/*
 * Enter @what under the stack that was asked for with the answer @err and @u: at once if it is known, else when it is.
 * Between grace_enter() and grace_leave(); by the task that asked, before it leaves the kernel.
 */
CORE void aggregate_resolved(struct task_sum *what, int err, const struct dusk_unwind *u);

/*
 * What waits with task @tid for its stack, of the consumer that our programs call @number, to rows of its aggregation
 * under the cookie: nobody will wait for the walk. Any task.
 */
CORE void aggregate_without_stack(u32 number, u32 tid);
