/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What user space sets before load, in .rodata.config, and must not change afterwards. */
#pragma once
#include "abi/types.h"

#define MAX_DEPTH 2048 /* frames a stack may have; a power of two */
#define DEFAULT_DEPTH 512
#define DEFAULT_TASKS 32768 /* threads that may have state at once */

/* Raised when what lies in the shared maps comes to mean something else: who was linked with another is refused. */
#define UNWIND_ABI 4

/* A part of the kernel's code; 0: unknown. */
struct kernel_text {
	u64 start, end;
};

struct kernel_places {
	struct kernel_text entry;		    /* which saves the registers of user mode */
	struct kernel_text schedule, schedule_tail; /* __schedule(), and what new tasks return from it through */
	struct kernel_text wake, softirqs; /* try_to_wake_up(); where tasks run the softirqs that they held up */
};

/* Of each program that unwinds. */
struct config {
	struct kernel_places places;
	u32 nr_walkers;	  /* power of two; slots of the pool */
	u32 tool;	  /* which of the tools that share the service; never 0 */
	u32 no_cache;	  /* read CFI for each frame: benchmarks and tests */
	u32 cpu_bits;	  /* that the numbers of CPUs need */
	s32 kstack_state; /* bytes from a CPU's run queue to its generator of offsets; 0: it has none */
	u32 abi;	  /* not set, but compared: UNWIND_ABI that the object was built with */
};

/* Of the recorder: whom to sample. */
struct filter {
	u32 filter_tasks;   /* only what the map "wanted" lists, and its children */
	u32 filter_cgroup;  /* only tasks below the cgroup in the map "cgroup" */
	u32 self_tgid;	    /* not profiled: ourselves */
	u32 kernel_threads; /* their off-CPU intervals, too */
	u32 wakers;	    /* who woke whom is noted */
	u32 verify;	    /* stacks that are known are asked for all the same, and compared */
	s32 preempt_count;  /* bytes from a CPU's run queue to its preemption count */
	u64 min_block_ns;   /* off-CPU intervals of so long are sent one by one, shorter ones summed up */
};

/* A value of the map "wanted", keyed by tgid or, for WANT_THREAD, by tid. */
enum { WANT_PROCESS = 1, WANT_THREAD = 2 };
enum wanted { WANTED = 1, WANTED_FROM_EXEC }; /* ..._FROM_EXEC: when it next calls execve() */
