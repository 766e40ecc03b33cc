/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The task work: on the way back to user mode. It may sleep, and this code may run for several tasks on one CPU at
 * once.
 */
#include "bpf/unwind/request.bpf.h"
#include "bpf/unwind/unwind.bpf.h"

CORE int unwind_due(struct bpf_map *map, void *key, void *value)
{
	struct task_struct *t = bpf_get_current_task_btf();
	u32 tid = *(u32 *)key; /* and not t->pid: a thread that calls execve() goes by another since */
	struct task_value *v = bpf_map_lookup_elem(&tasks, &tid); /* nor @value: two maps of work, one walk */

	if (consumers_here.callbacks) /* who joins from here on makes new work: this may be past seeing it */
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
