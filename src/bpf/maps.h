/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Every map and every shared variable: who owns it, how large it is, how long an element lives.
 *
 * Defined in maps.bpf.c. Sizes that depend on the machine are set by lib/loader.c before load.
 */
#pragma once
#include "kernel.h"
#include <bpf/bpf_helpers.h>
#include "../abi/counter.h"
#include "../abi/event.h"
#include "../abi/state.h"
#include "../core/defer.h"
#include "../core/stacktable.h"
#include "../core/walk.h"

#define MAX_TASKS 32768
#define MAX_MODULES 16384
#define MAX_WANTED 16384
#define RING_BYTES (4 << 20)
#define COUNTER_ROWS 256

/* The user registers of a task, by DWARF number, RAX to RIP. */
struct registers {
	u64 reg[RIP + 1];
	u64 orig_ax;
};

/* Pages that the running walk has faulted in: none is faulted twice. */
#define GUARD_PAGES 16
struct guard {
	u64 page[GUARD_PAGES];		/* page number + 1, by hash */
	u32 faults, pad;
};

/*
 * tasks: one element for each task that was asked for its stack. Made at the first request, deleted when the task exits
 * or its tid changes. Written only by the task itself, and interrupts on top of it.
 */
struct task_state {
	struct bpf_task_work work;
	struct defer defer;
	struct registers asked;		/* at the request: what the walk starts from */
	u64 mm;
	u32 exec_id;
	u32 torn;			/* asked while entry code still saved the registers: do not believe @asked */
	u32 last_stack, last_outcome;	/* of the walk done last */
	u64 last_mm;
	struct guard guard;
};

struct tasks_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MAX_TASKS);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, u32);
	__type(value, struct task_state);
};
extern struct tasks_map tasks SEC(".maps");

/* walkers: the pool of working memory. A slot is claimed by compare-and-swap of its tid for one walk. */
struct walker {
	struct walker_head head;
	/* whose address space walk.modules knows */
	u64 mm, start_boottime;
	u32 exec_id, mm_sequence;
	struct event_module announce;	/* a module that is met for the first time */
	struct walk walk;
};

struct walkers_map {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 64);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, u32);
	__type(value, struct walker);
};
extern struct walkers_map walkers SEC(".maps");

/* modules: what files say of themselves, for as long as the recording runs. */
struct modules_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MAX_MODULES);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct module_key);
	__type(value, struct module);
};
extern struct modules_map modules SEC(".maps");

/* wanted: processes and threads that are profiled, if config.filter_tasks. Children are added when they are born. */
struct wanted_key {
	u32 id, kind;			/* WANT_PROCESS: tgid, WANT_THREAD: tid */
};

struct wanted_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MAX_WANTED);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct wanted_key);
	__type(value, u32);
};
extern struct wanted_map wanted SEC(".maps");

/* cgroup: the folder below which tasks are profiled, if config.filter_cgroup. */
struct cgroup_map {
	__uint(type, BPF_MAP_TYPE_CGROUP_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u32);
};
extern struct cgroup_map cgroup SEC(".maps");

/* events: abi/event.h, from all CPUs to the one reader. */
struct events_map {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, RING_BYTES);
};
extern struct events_map events SEC(".maps");

/* sampling: each CPU's buffer for the kernel stack of a sample. Perf event programs do not nest on a CPU. */
struct sampling_map {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct stack);
};
extern struct sampling_map sampling SEC(".maps");

/* cookies: how many each CPU has given out. */
struct cookies_map {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u64);
};
extern struct cookies_map cookies SEC(".maps");

extern const volatile struct config config CORE;
extern struct stacktable stacktable;

/* Rows, not words, per CPU: user space adds the rows up. More CPUs than rows share them. */
struct counter_row {
	u64 value[NR_COUNTERS];
};
extern struct counter_row counters[COUNTER_ROWS];

static INLINE void count(enum counter which, u64 n)
{
	struct counter_row *row = &at(counters, bpf_get_smp_processor_id() & (COUNTER_ROWS - 1));

	__sync_fetch_and_add(&row->value[which], n);
}
