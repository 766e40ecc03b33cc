/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The task work: on the way back to user mode. It may sleep, and this code may run for several tasks on one CPU at
 * once.
 */
#include "request.bpf.h"
#include "unwind.bpf.h"

CORE int unwind_due(struct bpf_map *map, void *key, void *value)
{
	struct task_struct *t = bpf_get_current_task_btf();
	struct task_state *st = task_find(t);	/* and not @value: there are two maps of task work, and one walk for both */
	u32 tid = t->pid;

	if (!st)
		return 0;
	unwind(st, t);
	if (consumers_here.callbacks) {
		serve_owed(st);
		bpf_map_delete_elem(&own, &tid);
		if (!t->mm && !task_owes(st))
			bpf_map_delete_elem(&tasks, &tid);
	}
	return 0;
}
