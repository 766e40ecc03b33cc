/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What user space sets in .rodata.config before the programs are loaded. It must not change afterwards. */
#pragma once
#include "abi/types.h"

#define MAX_DEPTH 2048 /* the most frames of a stack; a power of two */
#define DEFAULT_DEPTH 512
#define DEFAULT_TASKS 32768 /* threads that can have state at the same time */

/* The version of the layout and meaning of the shared maps. A tool that was linked with another one is refused. */
#define UNWIND_ABI 10

/* A range of kernel code; 0: unknown. */
struct kernel_text {
	u64 start, end;
};

struct kernel_places {
	struct kernel_text entry, noinstr_text;	    /* both save the registers of user mode */
	struct kernel_text schedule, schedule_tail; /* __schedule(), and schedule_tail(), by which new tasks leave it */
	struct kernel_text wake, softirqs; /* try_to_wake_up(); and where a task runs softirqs that it had disabled */
};

/* The settings of every object that unwinds. */
struct config {
	struct kernel_places places;
	u32 nr_walkers;	   /* power of two; slots of the pool */
	u32 tool;	   /* number of the tool among those that share the service; never 0 */
	u32 no_cache;	   /* read CFI for each frame: benchmarks and tests */
	s32 kstack_state;  /* offset in bytes from a CPU's run queue to its kstack_rnd_state; 0: it has none */
	s32 preempt_count; /* offset in bytes from a CPU's run queue to its preemption count; 0: unknown */
	u32 abi;	   /* not a setting: the UNWIND_ABI that the object was built with, to compare */
};

/* Which tasks the recorder samples, and how. */
struct filter {
	u32 filter_tasks;   /* only what the map "wanted" lists, and children of these */
	u32 filter_cgroup;  /* only tasks of the map "cgroups" */
	u32 inherit_cgroup; /* and of what is made in these */
	u32 filter_user;    /* only tasks of @user */
	u32 user;	    /* an effective user id */
	u32 self_tgid;	    /* our own process, which is not profiled */
	u32 kernel_threads; /* record the off-CPU intervals of kernel threads, too */
	u32 wakers;	    /* record wakers */
	u32 no_children;    /* what recorded tasks create is not recorded by that alone */
	u32 verify;	    /* request stacks even if they are cached, to compare the two */
	u64 min_block_ns;   /* off-CPU intervals of at least this length are sent one by one, shorter ones summed up */

	/* arm64: invoke_syscall(), whose frame has a random size; 0: unknown */
	struct kernel_text random_frame;
	struct kernel_text call_begins, call_ends; /* where the tracepoints of all system calls are; 0: unknown */
};

/* The map "wanted": keys are a tgid or, for WANT_THREAD, a tid. */
enum { WANT_PROCESS = 1, WANT_THREAD = 2 };
enum wanted { WANTED = 1, WANTED_FROM_EXEC }; /* ..._FROM_EXEC: from its next execve() on */
