/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Asking for the user stack of the current task: <dusk/dusk.bpf.h> says what is promised. */
#pragma once
#include "task.bpf.h"
#include <dusk/dusk.bpf.h>

/* dusk_unwind_request_at() by the consumer's handle. */
CORE int unwind_request(u32 handle, u64 ip, struct dusk_unwind *ret);

/* unwind.bpf.c: the task work. */
CORE int unwind_due(struct bpf_map *map, void *key, void *value);
