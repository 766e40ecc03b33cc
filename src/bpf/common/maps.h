/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The maps and shared variables of the unwinder: who owns them, how large they are, how long an element lives.
 *
 * Two kinds. Those of the service are one for all tools that use the unwinder at the same time: lib/shared/service.c
 * makes or finds them, and sets the sizes that depend on the machine. Those of the tool are its own. Defined in
 * maps.bpf.c.
 */
#pragma once
#include "bpf/common/kernel.h"
#include <bpf/bpf_helpers.h>
#include "abi/consumer.h"
#include "abi/counter.h"
#include "abi/event.h"
#include "abi/state.h"
#include "core/shared/answer.h"
#include "core/shared/aggregation.h"
#include "core/shared/registry.h"
#include "core/shared/stacktable.h"
#include "core/walk/walk.h"
#include "core/walk/nofault.h"
#include "core/shared/watchdog.h"

#define MAX_MODULES 16384
#define MAX_EXCLUDED 1024
#define MAX_CHARGES 16384
#define SCRATCH_LEVELS 6 /* two of a task; softirq, hardirq, NMI */
#define COUNTER_ROWS 256

/* The user registers of a task, by DWARF number, RAX to CS. */
struct registers {
	u64 reg[CS + 1];
	u64 orig_ax; /* the system call, by its number on x86-64 */
};

/* What the running walk has had: no page is faulted in twice, a lock is looked at so often, a mapping looked for. */
#define GUARD_PAGES 16
struct guard {
	u64 page[GUARD_PAGES]; /* page number + 1, by hash */
	u32 faults, looks, lookups, pad;
};

/*
 * Service: tasks: one element for each task that was asked for its stack. Made at the first request, deleted when the
 * task is gone or its tid changes. Written by the task itself, and interrupts on top of it; but for the words that
 * core/shared/defer.h and core/shared/aggregation.h say, which cancelling and sweeping change from elsewhere.
 */
struct task_state {
	struct defer defer;
	u64 task, start_boottime; /* whose this is: tids are used again, and those of threads taken over */
	struct registers asked;	  /* at the request: what the walk starts from */
	u64 mm;
	u32 exec_id;
	u32 torn;		      /* asked while entry code still saved the registers: do not believe @asked */
	u32 scheduler;		      /* the tool whose task work will walk; 0: not known */
	u32 walker;		      /* at work for this task: index + 1 */
	u32 joined;		      /* requests that the walk is for, but for the first */
	struct answer last;	      /* of the walk done last */
	u64 last_mm;		      /* and of which memory that was */
	struct visit visit;	      /* and when: is the task still on its way back? */
	struct last_stack last_stack; /* is that the task's last one? */
	u32 pending;		      /* consumers, a bit each, whose own program has yet to call them back with */
	struct answer pending_answer[MAX_CONSUMERS];
	u64 swept; /* the cookie that the last sweep found without task work */
	struct task_sums sums;
};

struct task_value {
	struct bpf_task_work work;
	struct task_state state; /* what functions take: they may not touch the kernel's word */
};

struct tasks_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, DEFAULT_TASKS);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, u32);
	__type(value, struct task_value);
};
extern struct tasks_map tasks SEC(".maps");

/* Service: walkers: the pool of working memory. A slot is claimed by compare-and-swap of its tid for one walk. */
struct walker {
	struct walker_head head;
	/* whose address space walk.modules knows */
	u64 mm, start_boottime;
	u32 exec_id, mm_sequence;
	u32 evictions, pad; /* registry.evictions: modules that it knows may have lost their numbers since */
	struct guard guard;
	struct event_module send_module; /* a module that is met for the first time */
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

/*
 * Service: modules: what files say of themselves. When it is nearly full, user space evicts what was not met for
 * longest.
 */
struct modules_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MAX_MODULES);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct module_key);
	__type(value, struct module);
};
extern struct modules_map modules SEC(".maps");

/* Service: named: the event of each module, by its number: for tools that come later. */
struct named_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MAX_MODULES);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, u32);
	__type(value, struct event_module);
};
extern struct named_map named SEC(".maps");

/* Service: rings: the ring buffer of each consumer, if it has one: abi/event.h, from all CPUs to the one reader. */
struct ring_map {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
};

struct rings_map {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, MAX_CONSUMERS);
	__type(key, u32);
	__array(values, struct ring_map);
};
extern struct rings_map rings SEC(".maps");

/* Service: aggregations: the map of each consumer's charges, if it has one. */
struct aggregation_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MAX_CHARGES);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(key_size, sizeof(struct aggregation_key));
	__uint(value_size, sizeof(struct aggregation_sum));
};

struct aggregations_map {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, MAX_CONSUMERS);
	__type(key, u32);
	__array(values, struct aggregation_map);
};
extern struct aggregations_map aggregations SEC(".maps");

/*
 * Service: stacks: the tables of the stackmap, by core/shared/epochs.h. User space makes them, of the size that all of
 * them have (stack_bits), one element each.
 */
struct stacktable_map {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(key_size, sizeof(u32));
	__uint(value_size,
	       sizeof(struct stacktable) + (8 << (STACK_DEFAULT_BITS + STACK_WORD_BITS)) + STACK_SPARE_BYTES);
};

struct stacks_map {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, EPOCH_TABLES);
	__type(key, u32);
	__array(values, struct stacktable_map);
};
extern struct stacks_map stacks SEC(".maps");

/* Service: excluded: processes that are not asked any more, by tgid; the value is when they started (boot time). */
struct excluded_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MAX_EXCLUDED);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, u32);
	__type(value, u64);
};
extern struct excluded_map excluded SEC(".maps");

/* Service: cookies: how many each CPU has given out. */
struct cookies_map {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u64);
};
extern struct cookies_map cookies SEC(".maps");

/* Tool: own: task work of our own, for callbacks of walks that another tool has scheduled. */
struct own_work {
	struct bpf_task_work work;
};

struct own_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, DEFAULT_TASKS);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, u32);
	__type(value, struct own_work);
};
extern struct own_map own SEC(".maps");

/* Tool: scratch: each CPU's buffers for kernel stacks, one for each context that can interrupt the others. */
struct scratch_map {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, SCRATCH_LEVELS);
	__type(key, u32);
	__type(value, struct stack);
};
extern struct scratch_map scratch SEC(".maps");

struct scratch_level_map {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u32);
};
extern struct scratch_level_map scratch_level SEC(".maps");

/* Tool: its settings, and the handles of its consumers (abi/consumer.h), by the numbers that its programs use. */
extern const volatile struct config config CORE;
extern struct consumers_here consumers_here;

/* Service. */
extern struct registry registry;

/*
 * Counters come in rows, a row a CPU: user space adds the rows up. More CPUs than rows share them. What is counted of
 * requests is the tool's, what is counted of walks the service's.
 */
struct counter_row {
	u64 value[NR_COUNTERS];
};
extern struct counter_row counters[COUNTER_ROWS];
extern struct counter_row totals[COUNTER_ROWS];

static INLINE void count(enum counter which, u64 n)
{
	struct counter_row *row = &at(counters, bpf_get_smp_processor_id() & (COUNTER_ROWS - 1));

	__sync_fetch_and_add(&row->value[which], n);
}

static INLINE void count_total(enum counter which, u64 n)
{
	struct counter_row *row = &at(totals, bpf_get_smp_processor_id() & (COUNTER_ROWS - 1));

	__sync_fetch_and_add(&row->value[which], n);
}
