/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The task work that walks, on a task's way back to user mode. It may sleep, so it may run for several tasks on one CPU
 * at the same time.
 */
#include "bpf/unwind/request.bpf.h"
#include "bpf/unwind/unwind.bpf.h"

CORE int unwind_due(struct bpf_map *map, void *key, void *value)
{
	struct task_struct *t = bpf_get_current_task_btf();
	u32 tid = *(u32 *)key;					  /* not t->pid, which execve() in a thread changes */
	struct task_value *v = bpf_map_lookup_elem(&tasks, &tid); /* not @value, as there are two maps with task work */

	if (consumers_here.callbacks) /* first, so that later requests schedule new work: this run may miss them */
		bpf_map_delete_elem(&own, &tid);
	if (!v)
		return 0;
	unwind(&v->state, t, false);
	if (consumers_here.callbacks)
		run_pending(&v->state);
	if (t->pid != tid && !task_has_pending(&v->state))
		bpf_map_delete_elem(&tasks, &tid);
	return 0;
}
