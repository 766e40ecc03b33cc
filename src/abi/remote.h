/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Walks of threads that are off their CPU, from outside: what is requested, and the record of each thread. */
#pragma once
#include "abi/event.h"

/* Keys of the map "chosen": threads or whole processes to walk, and processes not to read memory of. */
enum chosen_kind { CHOSEN_PROCESS = 1, CHOSEN_THREAD, UNTOUCHED_PROCESS };

struct chosen_key {
	u32 id, kind; /* tgid or tid, in the initial PID namespace */
};

/* The beginning of .bss.remote. User space sets the first four before a pass over all tasks. */
struct remote_pass {
	u32 filter; /* only what "chosen" lists; 0: all tasks but those of our own process */
	u32 self_tgid;
	u32 after;     /* only tids above this one */
	u32 no_kernel; /* no kernel stacks */
	/* the progress */
	u64 walks;     /* walks begun so far, in all passes */
	u64 task;      /* struct task_struct * of the task that is being walked */
	u32 tgid, tid; /* of the same task; tid 0: no task is being walked */
};

/* What the iterator writes for each thread. The kernel frames follow, then the user frames, each innermost first. */
struct remote_record {
	u32 pid, tid; /* in the initial PID namespace; pid is the process */
	u32 state;    /* task_struct: __state | exit_state */
	u32 outcome;
	u32 nr_kernel, nr_user;
	u64 switches; /* how often the thread has left a CPU since it was born: nvcsw + nivcsw */
	char comm[COMM_BYTES];
};
