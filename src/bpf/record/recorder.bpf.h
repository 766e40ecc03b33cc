/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the programs of a recording share: their ring buffer, and the choice of tasks. */
#pragma once
#include "bpf/common/maps.h"
#include "bpf/common/task.bpf.h"

#define MAX_WANTED 16384
#define RING_BYTES (4 << 20)

/* The recorder's consumer of user stacks, by the number that its programs use. */
enum recorder_consumer { CONSUMER_RECORDER };

/* events: the events (abi/event.h) of all CPUs, to one reader. */
struct events_map {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, RING_BYTES);
};
extern struct events_map events SEC(".maps");

/* wanted: processes and threads that are recorded, if filter.filter_tasks. Children are added at fork. */
struct wanted_key {
	u32 id, kind; /* WANT_PROCESS: tgid, WANT_THREAD: tid */
};

struct wanted_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MAX_WANTED);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct wanted_key);
	__type(value, u32);
};
extern struct wanted_map wanted SEC(".maps");

/* cgroups: those whose tasks are recorded, by number, if filter.filter_cgroup. */
struct cgroups_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MAX_WANTED);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, u64);
	__type(value, u32);
};
extern struct cgroups_map cgroups SEC(".maps");

extern const volatile struct filter filter CORE;

static INLINE bool is_wanted(const struct wanted_key *key)
{
	u32 *wish = bpf_map_lookup_elem(&wanted, key);

	return wish && *wish == WANTED;
}

static INLINE bool cgroup_in_scope(struct task_struct *t)
{
	u64 id = task_cgroup(t);

	return bpf_map_lookup_elem(&cgroups, &id);
}

/* Are events of @t recorded? It may be the idle task. */
static INLINE bool task_in_scope(struct task_struct *t)
{
	struct wanted_key process = {t->tgid, WANT_PROCESS}, thread = {t->pid, WANT_THREAD};

	if ((u32)t->tgid == filter.self_tgid)
		return false; /* ourselves */
	if (filter.filter_cgroup && !cgroup_in_scope(t))
		return false;
	if (filter.filter_user && t->cred->euid.val != filter.user)
		return false;
	if (!filter.filter_tasks)
		return true;
	return is_wanted(&process) || is_wanted(&thread);
}

/* Are samples of @t recorded? */
static INLINE bool task_wanted(struct task_struct *t)
{
	return t->pid && task_in_scope(t);
}
