/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Asking for the user stack of the current task: from any context, in constant time. */
#pragma once
#include "task.bpf.h"

/* A consumer of user stacks, by its bit in the deferral word. */
enum consumer { CONSUMER_CPU };

/*
 * Ask for the user stack of @t, the current task, which has user memory and was interrupted at @ip (kernel or user).
 * Returns the cookie under which a stack event will come, or 0: there will be none, for the reason *@why (enum
 * outcome).
 */
CORE u64 request_stack(struct task_struct *t, u32 who, u64 ip, u8 *why);

/* unwind.bpf.c: the task work. */
CORE int unwind_due(struct bpf_map *map, void *key, void *value);
