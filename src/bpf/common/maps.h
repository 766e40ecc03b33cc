/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The maps and shared variables of the unwinder: their owner, their size, and how long an element lives.
 *
 * There are two kinds. "Service" maps are shared by all tools that use the unwinder at the same time:
 * lib/unwinder/service.c makes or finds them, and sets the sizes that depend on the machine. "Tool" maps belong to one
 * tool. Defined in maps.bpf.c.
 */
#pragma once
#include "bpf/common/kernel.h"
#include <bpf/bpf_helpers.h>
#include "abi/code.h"
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
#define MAX_CODES 32768
#define MAX_CODE_PLACES 16384
#define MAX_EXCLUDED 1024
#define AGGREGATION_ROWS 16384
#define SCRATCH_LEVELS 6 /* two for task context; softirq, hardirq, NMI */
#define COUNTER_ROWS 256

/* The user registers of a task, by DWARF number. */
struct registers {
	u64 reg[INPUT_REGS];
	u64 call; /* the number of the system call; of those of 32-bit tasks, see call_of() */
};

/* What the running walk has used up: pages faulted in (none twice), looks at the mmap lock, look-ups of mappings. */
#define GUARD_PAGES 16
struct guard {
	u64 page[GUARD_PAGES]; /* page number + 1, by hash */
	u32 faults, looks, lookups, pad;
};

/*
 * Service: tasks: one element for each task that had a request. Made at the first request, deleted when the task is
 * gone or its tid changes. Written by the task itself and by interrupts in its context only; except the words named in
 * core/shared/defer.h and core/shared/aggregation.h, which cancelling and sweeping change from other tasks.
 */
struct task_state {
	struct defer defer;
	u64 task, start_boottime; /* identify the task: tids are reused, and execve() takes one over */
	struct registers asked;	  /* registers at the request: the walk starts from them */
	u64 mm;
	u32 exec_id;
	u32 torn;		      /* requested while entry code still saved the registers: @asked is not valid */
	u32 scheduler;		      /* number of the tool whose task work will walk; 0: not known */
	u32 walker;		      /* that walks for this task: index + 1; 0: none */
	u32 joined;		      /* requests for this walk after the first one */
	u32 tgid;		      /* the task's process, at the request */
	u64 lang_thread;	      /* the state that a language's runtime had of the thread, at its last walk */
	struct answer last;	      /* of the most recent walk */
	u64 last_mm;		      /* the memory (mm) of that walk */
	struct visit visit;	      /* the visit of that walk, to detect whether the task has left it */
	struct last_stack last_stack; /* says whether that was the task's last stack */
	u32 pending;		      /* consumers, a bit each, that wait for a callback by their own tool's program, */
	struct answer pending_answer[MAX_CONSUMERS]; /* with this answer */
	u64 swept;				     /* the cookie for which the last sweep found no task work */
	struct task_sums sums;
};

struct task_value {
	struct bpf_task_work work;
	struct task_state state; /* separate, as functions that take it may not touch the kernel's word */
};

struct tasks_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, DEFAULT_TASKS);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, u32);
	__type(value, struct task_value);
};
extern struct tasks_map tasks SEC(".maps");

#define NAME_BYTES 256 /* NAME_MAX and its 0 */

/* Working space for the event of a new module. For the verifier, any name may begin at the end of the path. */
struct module_room {
	struct event_module event;
	char beyond[NAME_BYTES];
};

/* Service: walkers: the pool of working memory. A slot is claimed by compare-and-swap of its tid for one walk. */
struct walker {
	struct walker_head head;
	/* the address space that walk.modules describes */
	u64 mm, start_boottime;
	u32 exec_id, mm_sequence;
	u32 evictions, pad; /* registry.evictions then: since it changed, known modules may have lost their numbers */
	struct guard guard;
	struct module_room module_room;
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
 * Service: modules: what is known of files from their contents. When it is nearly full, user space evicts the modules
 * that have not been seen for the longest time.
 */
struct modules_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MAX_MODULES);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct module_key);
	__type(value, struct module);
};
extern struct modules_map modules SEC(".maps");

/* Service: named: the module event of each module, by its number, for tools that start later. */
struct named_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MAX_MODULES);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, u32);
	__type(value, struct event_module);
};
extern struct named_map named SEC(".maps");

/* Service: codes: what code of interpreted languages is, by its number: that of its content (core/lang/code.h). */
struct codes_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MAX_CODES);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, u32);
	__type(value, struct code_content);
};
extern struct codes_map codes SEC(".maps");

/* Service: code_numbers: the number of the code at an address of a process. Entries that were not used for long give way. */
struct code_place {
	u64 space, object;
};

struct numbered_code {
	u64 fingerprint;
	u32 number, pad;
};

struct code_numbers_map {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, MAX_CODE_PLACES);
	__type(key, struct code_place);
	__type(value, struct numbered_code);
};
extern struct code_numbers_map code_numbers SEC(".maps");

/* Service: rings: the ring buffer of each consumer, if it has one: events (abi/event.h) of all CPUs to one reader. */
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

/* Service: aggregations: the aggregation map of each consumer, if it has one. */
struct aggregation_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, AGGREGATION_ROWS);
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
 * Service: stacks: the tables of the stackmap (core/shared/epochs.h). User space makes them, one element each, all of
 * the same size (stack_bits).
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

/* Service: excluded: processes that are no longer walked, by tgid; the value is their start in boot time, ns. */
struct excluded_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MAX_EXCLUDED);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, u32);
	__type(value, u64);
};
extern struct excluded_map excluded SEC(".maps");

/* Service: cookies: the number of cookies that each CPU has given out. */
struct cookies_map {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u64);
};
extern struct cookies_map cookies SEC(".maps");

/* Tool: own: task work of this tool, for callbacks after walks that another tool has scheduled. */
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

/* Tool: scratch: buffers of each CPU for kernel stacks, one for each context that can interrupt the others. */
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

/* Tool: its settings; and the handles of its consumers (abi/consumer.h), by the numbers that its programs use. */
extern const volatile struct config config CORE;
extern struct consumers_here consumers_here;

/* Service: what all tools agree on. */
extern struct registry registry;

/*
 * Counters come in rows, one for each CPU; user space adds the rows up. If there are more CPUs than rows, CPUs share
 * rows. Counters of requests (counters) are the tool's, counters of walks (totals) the service's.
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
