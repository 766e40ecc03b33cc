/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The kernel stacks of off-CPU intervals. */
#pragma once
#include "bpf/common/maps.h"

/*
 * Get the id of the kernel stack with which the current task left its CPU, for programs at sched_exit_tp. @ctx: the
 * program's context. 0: the stackmap is full, and @s has the stack; or there is no stack, and @s is empty.
 */
CORE u32 kernelstack_of_interval(void *ctx, struct stack *s);
