/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Walking the stacks of threads that are off their CPU: what is asked, and the record of each thread. */
#pragma once
#include "abi/event.h"

/* Keys of the map "chosen": which threads, or whole processes; and processes whose memory is not to be touched. */
enum chosen_kind { CHOSEN_PROCESS = 1, CHOSEN_THREAD, UNTOUCHED_PROCESS };

struct chosen_key {
	u32 id, kind; /* tgid or tid, in the initial PID namespace */
};

/* How .bss.remote begins: set before a pass over all tasks. */
struct remote_pass {
	u32 filter; /* only what "chosen" lists; else all, but for our own process */
	u32 self_tgid;
	u32 after;     /* only tids above this one */
	u32 no_kernel; /* no kernel stacks */
	/* how far it is */
	u64 walks;     /* begun so far, in all passes */
	u64 task;      /* struct task_struct *: whose stack is walked just now */
	u32 tgid, tid; /* likewise; tid 0: nobody's */
};

/* What the iterator gives out for a thread. The kernel's frames follow, then the user's; each innermost first. */
struct remote_record {
	u32 pid, tid; /* in the initial PID namespace; pid is the process */
	u32 state;    /* task_struct: __state | exit_state */
	u32 outcome;
	u32 nr_kernel, nr_user;
	u64 switches; /* how often it has left a CPU since it was born: nvcsw + nivcsw */
	char comm[COMM_BYTES];
};
