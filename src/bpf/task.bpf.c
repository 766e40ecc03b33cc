/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "emit.bpf.h"
#include "task.bpf.h"

/* What a new element of tasks contains: too large for the stack. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct { char bytes[sizeof(struct task_state)]; });
} blank_task SEC(".maps");

CORE struct task_state *task_state(struct task_struct *t)
{
	u32 tid = t->pid, zero = 0;
	struct task_state *st = bpf_map_lookup_elem(&tasks, &tid);
	void *blank;

	if (st)
		return st;
	blank = bpf_map_lookup_elem(&blank_task, &zero);
	if (!blank)
		return NULL;
	bpf_map_update_elem(&tasks, &tid, blank, BPF_NOEXIST);
	return bpf_map_lookup_elem(&tasks, &tid);
}

CORE void task_forget(u32 pid, u32 tid, u32 why)
{
	struct task_state *st = bpf_map_lookup_elem(&tasks, &tid);
	struct event_stack e = { .kind = EVENT_STACK, .outcome = why, .pid = pid, .tid = tid };

	if (!st)
		return;
	if (defer_take(&st->defer, &e.cookie)) {
		count(why == EXEC ? COUNT_CLOSED_EXEC : COUNT_CLOSED_EXITING, 1);
		emit_stack(&e, NULL);
	}
	bpf_map_delete_elem(&tasks, &tid);	/* cancels the task work */
}
