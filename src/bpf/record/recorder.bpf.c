/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Keep the map "wanted" up to date: children of recorded tasks are recorded, too. Report the processes that begin. */
#include "bpf/record/arguments.bpf.h"
#include "bpf/record/recorder.bpf.h"
#include <bpf/bpf_tracing.h>

char LICENSE[] SEC("license") = "Dual BSD/GPL";

struct events_map events SEC(".maps");
struct wanted_map wanted SEC(".maps");
struct cgroups_map cgroups SEC(".maps");
const volatile struct filter filter SEC(".rodata.filter") CORE = {};

/* Copy the entry of @parent to @child. */
static INLINE void inherit(u32 kind, u32 parent, u32 child)
{
	struct wanted_key key = {parent, kind};
	u32 *wish = bpf_map_lookup_elem(&wanted, &key), copy;

	if (!wish)
		return;
	copy = *wish;
	key.id = child;
	if (bpf_map_update_elem(&wanted, &key, &copy, BPF_ANY))
		count(COUNT_LOST_CHILDREN, 1);
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(wanted_born, struct task_struct *parent, struct task_struct *child)
{
	if (filter.filter_tasks && !filter.no_children) {
		inherit(WANT_PROCESS, parent->tgid, child->tgid);
		inherit(WANT_THREAD, parent->pid, child->pid);
	}
	if (child->pid == child->tgid && task_in_scope(child))
		arguments_send(child, false);
	return 0;
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(wanted_exec, struct task_struct *t, int old_tid, struct linux_binprm *bprm)
{
	struct wanted_key process = {t->tgid, WANT_PROCESS};
	u32 *wish = filter.filter_tasks ? bpf_map_lookup_elem(&wanted, &process) : NULL;

	if (wish)
		*wish = WANTED;
	if (task_in_scope(t))
		arguments_send(t, true);
	return 0;
}

/* Not at exit: the time that an exit takes is recorded, too. */
SEC("tp_btf/sched_process_free")
int BPF_PROG(wanted_free, struct task_struct *t)
{
	struct wanted_key process = {t->tgid, WANT_PROCESS}, thread = {t->pid, WANT_THREAD};

	if (!filter.filter_tasks)
		return 0;
	bpf_map_delete_elem(&wanted, &thread);
	if (t->signal->live.counter == 0)
		bpf_map_delete_elem(&wanted, &process);
	return 0;
}
