/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The task work: on the way back to user mode. It may sleep, and this code may run for several tasks on one CPU at
 * once.
 */
#include "request.bpf.h"
#include "unwind.bpf.h"

CORE int unwind_due(struct bpf_map *map, void *key, void *value)
{
	unwind(value, bpf_get_current_task_btf());
	return 0;
}
