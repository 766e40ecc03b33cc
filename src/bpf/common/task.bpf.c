/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Find or make the element of the map "tasks" for a task. */
#include "bpf/common/resolve.bpf.h"
#include "bpf/common/task.bpf.h"

/* The initial value of an element of "tasks", which is too large for the BPF stack. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct { char bytes[sizeof(struct task_value)]; });
} blank_task SEC(".maps");

CORE struct task_value *task_value(struct task_struct *t)
{
	u32 tid = t->pid, zero = 0;
	struct task_value *v = bpf_map_lookup_elem(&tasks, &tid);
	void *blank;

	if (v && task_owns(t, &v->state))
		return v;
	if (v) { /* the end of its task was missed, and the tid was reused */
		task_close(&v->state, tid, EXITING, COUNT_CLOSED_EXITING);
		bpf_map_delete_elem(&tasks, &tid);
	}
	blank = bpf_map_lookup_elem(&blank_task, &zero);
	if (!blank)
		return NULL;
	bpf_map_update_elem(&tasks, &tid, blank, BPF_NOEXIST);
	v = bpf_map_lookup_elem(&tasks, &tid);
	if (v) {
		v->state.task = (u64)t;
		v->state.start_boottime = t->start_boottime;
	}
	return v;
}
