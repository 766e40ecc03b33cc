/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Asking for the user stack of the current task: <dusk/dusk.bpf.h> says what is promised. */
#pragma once
#include "task.bpf.h"
#include <dusk/dusk.bpf.h>

/* The handle of the consumer that our programs call @number; 0: there is none. */
static INLINE u32 unwind_handle(u32 number)
{
	return load_acquire(&at(consumers_here.handle, number & (MAX_CONSUMERS - 1)));
}

/* dusk_unwind_request_at() by the consumer's handle. */
CORE int unwind_request(u32 handle, u64 ip, struct dusk_unwind *ret);

/* unwind.bpf.c: the task work. */
CORE int unwind_due(struct bpf_map *map, void *key, void *value);
