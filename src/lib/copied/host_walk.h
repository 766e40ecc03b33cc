/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Walk a copied stack: the core on the host, over memory that is the copy, then the mapped files, then the process.
 *
 * The thread has run on since the sample. So nothing is read from the process that can change with that: only code, and
 * files that cannot be opened. What the walk needs beyond the copy ends it, as not-copied; what is there is brought into
 * memory, so that the next copy has it.
 *
 * Of a stack in a file of another profiler, the process is not looked at: it may be gone, or another one by now. Where a
 * walk needs a file that is not here as it was, it ends, as no-file.
 */
#pragma once
#include "abi/event.h"
#include "lib/copied/spaces.h"
#include "lib/process/memory.h"
#include "lib/process/target.h"

struct walk;

struct host_walk {
	struct target target; /* must be first */
	struct walk *walk;    /* its out and outcome are the result */
	struct spaces *spaces;
	void (*learn)(void *ctx, const struct event_module *e); /* is called once for each module */
	void *ctx;
	/* the stack that is walked */
	pid_t pid;
	u64 sp;
	const u8 *stack;
	u64 stack_bytes, asked_bytes;
	u64 uncopied;  /* bytes behind them, up to the end of the stack, which read as zeros */
	bool is_whole; /* nothing is behind them, as far as is known */
	u32 refused;   /* a read of other memory was refused when the walk had so many frames, plus 1 */
	u32 absent;    /* likewise of a file that is not there */
	bool is_past;  /* set by the caller: no process is read */
	/* the walk before */
	pid_t last_pid;
	u64 last_changes;
	struct memory_reader reader;
	u64 reads_of_processes;
};

/* Initialize @h, to be ended with host_walk_done(). Returns 0 or -ENOMEM. */
int host_walk_init(struct host_walk *h, struct spaces *s, void (*learn)(void *ctx, const struct event_module *e),
		   void *ctx);
void host_walk_done(struct host_walk *h);

/* A stack as it was sampled. */
struct copied_stack {
	pid_t pid;
	const u64 *regs; /* INPUT_REGS of them, in the order of core/arch/regs.h */
	const void *bytes;
	u64 nr_bytes;	 /* from the stack pointer on */
	u64 asked_bytes; /* of the kernel: it copies less where the stack ends */
	bool in_kernel;	 /* the task was in the kernel: in a system call, perhaps */
	u32 missing;	 /* registers that are not in @regs, a bit each */
};

/* Walk @s, at most @max_depth frames, to h->walk. Returns the outcome, which is h->walk->outcome, too. */
u32 host_walk_run(struct host_walk *h, const struct copied_stack *s, u32 max_depth);
