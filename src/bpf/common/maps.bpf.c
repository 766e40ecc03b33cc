/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Definitions of the maps and shared variables that maps.h declares. */
#include "bpf/common/maps.h"

_Static_assert(__builtin_offsetof(struct task_value, state.defer) == __builtin_offsetof(struct task_head, deferral),
	       "task_head");

struct tasks_map tasks SEC(".maps");
struct walkers_map walkers SEC(".maps");
struct modules_map modules SEC(".maps");
struct named_map named SEC(".maps");
struct codes_map codes SEC(".maps");
struct code_numbers_map code_numbers SEC(".maps");
struct rings_map rings SEC(".maps");
struct aggregations_map aggregations SEC(".maps");
struct stacks_map stacks SEC(".maps");
struct excluded_map excluded SEC(".maps");
struct cookies_map cookies SEC(".maps");
struct own_map own SEC(".maps");
struct scratch_map scratch SEC(".maps");
struct scratch_level_map scratch_level SEC(".maps");

struct registry registry SHARED("registry");
struct counter_row totals[COUNTER_ROWS] SHARED("totals");

const volatile struct config config SEC(".rodata.config") CORE = {.nr_walkers = 64, .abi = UNWIND_ABI};
const volatile u32 stack_bits SEC(".rodata.stacks") CORE = STACK_DEFAULT_BITS;
struct consumers_here consumers_here SHARED("here");
struct counter_row counters[COUNTER_ROWS] SHARED("counters");
volatile u32 loop_zero CORE;
