/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "maps.h"

_Static_assert(__builtin_offsetof(struct task_state, defer) == __builtin_offsetof(struct task_head, deferral),
	       "task_head");

char LICENSE[] SEC("license") = "Dual BSD/GPL";

struct tasks_map tasks SEC(".maps");
struct walkers_map walkers SEC(".maps");
struct modules_map modules SEC(".maps");
struct wanted_map wanted SEC(".maps");
struct cgroup_map cgroup SEC(".maps");
struct events_map events SEC(".maps");
struct sampling_map sampling SEC(".maps");
struct cookies_map cookies SEC(".maps");

const volatile struct config config SEC(".rodata.config") CORE = { .max_depth = DEFAULT_DEPTH, .nr_walkers = 64 };

struct stacktable stacktable SHARED("stacks");
struct counter_row counters[COUNTER_ROWS] SHARED("counters");
volatile u32 loop_zero CORE;
