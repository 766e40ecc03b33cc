/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Complete user stacks for BPF programs of any type: include this, link with dusk.bpf.o (dusk-link), load through
 * libdusk (dusk_unwind_open_object(), <dusk/unwind.h>).
 *
 * A program requests the user stack of the current task and gets a cookie. The stack is walked once, when the task is
 * about to return to user mode, for all programs that have requested it during this visit to the kernel, also for those
 * of other tools. Then the stack is delivered to each consumer in the way it chose in dusk_unwind_add_consumer(): by an
 * event in its ring buffer, by adding its amounts to its aggregation map, or by a call of dusk_unwind_done().
 *
 * Include it after vmlinux.h (or linux/types.h) and bpf/bpf_helpers.h.
 */
#pragma once

#define DUSK_MAX_CONSUMERS 16

/* The answer to a request. */
struct dusk_unwind {
	__u64 cookie;  /* of the walk, never used twice; the stack is delivered under it. 0: it will not be */
	__u32 stack;   /* DUSK_EXECUTED: the stack's id; 0: there is none, see outcome */
	__u32 outcome; /* DUSK_EXECUTED and errors: how the stack ended, or why there is none (dusk_outcome()) */
};

enum {
	/* This request has queued the walk. The stack will be delivered under its cookie. */
	DUSK_QUEUED = 0,
	/* An earlier request, of any tool, has queued the walk. The stack will be delivered under its cookie, once. */
	DUSK_PENDING = 1,
	/* The walk of this visit to the kernel is over, as for a task that exits: the answer has the stack. */
	DUSK_EXECUTED = 2,
};

/*
 * Request the user stack of the current task for @consumer: a number below DUSK_MAX_CONSUMERS that user space has
 * registered by dusk_unwind_add_consumer(). *@ret, which the caller owns, is filled in any case.
 *
 * Context: any: NMI, interrupt, under the run-queue lock, task. Constant time, no lock. The first request for a task
 * may allocate the task's state.
 *
 * Returns DUSK_QUEUED, DUSK_PENDING, DUSK_EXECUTED, or a negative errno with the reason in ret->outcome:
 *	-ENOENT		@consumer is not registered, or not any more
 *	-EINVAL		the task has no user stack: it is a kernel thread, or its memory is gone
 *	-EPERM		the process is excluded, because a walk of it did not end
 *	-ENOSPC		the table of tasks is full
 *	-EAGAIN		interrupts kept changing the task's state; or the task was walked twice just now and may not
 *			have been in user mode since, on a kernel that does not tell one visit from the next
 *	-EOVERFLOW	the CPU has given out all its cookies, none of which is used twice (with 64 CPUs: 2^41)
 *	others		the kernel refused the task work
 */
int dusk_unwind_request(__u32 consumer, struct dusk_unwind *ret);

/*
 * As dusk_unwind_request(), for perf_event programs, which may interrupt the kernel's entry code while it saves the
 * user's registers; those registers are not used then. @ip is the address of the interrupted instruction, ctx->regs.ip.
 *
 * dusk_unwind_request() in an NMI has no @ip, so it assumes that entry code was interrupted: the stack is the one to
 * which the task returns. If a signal is delivered on that return, that is the stack of the signal's handler.
 *
 * Returns what dusk_unwind_request() does.
 */
int dusk_unwind_request_at(__u32 consumer, __u64 ip, struct dusk_unwind *ret);

/*
 * Mark a program at a uprobe or USDT mark that requests stacks; libdusk refuses to load such a program without this
 * call. The call itself does nothing. Its presence keeps the kernel from placing the program's variables on a per-CPU
 * stack, as linux 6.13 and newer do, where tasks that preempt each other at a uprobe would share them. So all variables
 * of the program and of the functions that it calls must fit in 512 bytes; the program's own, in 120.
 *
 * Returns 0.
 */
int dusk_unwind_at_uprobe(void);

/*
 * Get the stack of the current task without a wait, if it is in the stack cache, or if a no-fault walk can find it.
 * Queues nothing and needs no consumer.
 *
 * Context: tasks that come back from an off-CPU interval (sched_exit_tp), and system calls. Not NMI, nor under the
 * run-queue lock: it may take some microseconds.
 *
 * Returns DUSK_EXECUTED, or -EAGAIN: use dusk_unwind_request().
 */
int dusk_unwind_try(struct dusk_unwind *ret);

/*
 * As dusk_unwind_try(), for an interrupt or NMI that interrupted user mode ((__s64)ctx->regs.ip >= 0). Walks at most 32
 * frames, which takes less time than to schedule a walk.
 *
 * Returns DUSK_EXECUTED or -EAGAIN.
 */
int dusk_unwind_try_irq(struct dusk_unwind *ret);

/*
 * Walk the stack of the current task now, with page faults, unless it has been walked in this visit before. It is
 * delivered to consumers that wait for it. Needs no consumer.
 *
 * Context: programs that may sleep (uprobe.s, lsm.s, fentry.s, syscall). The walk is verified as a part of your
 * program: call it in one place, not from another function of yours, and in a program that uses at most DUSK_NOW_STACK
 * bytes of stack.
 *
 * Returns DUSK_EXECUTED, or a negative errno with the reason in ret->outcome: -EINVAL, -EPERM, -ENOSPC as above, and
 *	-EAGAIN		no walk is possible here, but dusk_unwind_request() may succeed: in execve(), during another
 *			walk of the task, or while all walkers are busy
 */
#define DUSK_NOW_STACK 64
int dusk_unwind_now(struct dusk_unwind *ret);

/*
 * As dusk_unwind_request(); and add @amount, with a count of 1, to row {@key, stack} of the consumer's aggregation map
 * once the stack is known, without a trip to user space. @key and the unit of @amount are the tool's own. For a task
 * that has no stack the row is {@key, outcome}. Any number of calls per visit is allowed.
 *
 * Returns what dusk_unwind_request() does; with -ENOENT nothing is added.
 */
int dusk_unwind_aggregate(__u32 consumer, __u64 key, __u64 amount, struct dusk_unwind *ret);

/*
 * Defined by the tool, for consumers with DUSK_DELIVER_CALLBACK. Called once for each @cookie. @stack is the stack's
 * id, or 0 if there is no stack; @outcome says how it ended, or why there is none.
 *
 * Context: the task that the stack belongs to; must not sleep, nor request stacks.
 *
 * Returns anything: the value is ignored.
 */
int dusk_unwind_done(__u32 consumer, __u64 cookie, __u32 stack, __u32 outcome);

/* Buffer for a kernel stack. Each CPU has one for each context that can interrupt the others. */
#define DUSK_KERNEL_FRAMES 128
struct dusk_frames {
	__u64 frame[DUSK_KERNEL_FRAMES];
};

/*
 * Take a buffer of this CPU, to be given back by dusk_frames_put() in the same run of the program. Any context.
 *
 * Returns the buffer, or NULL: interrupts are nested too deep.
 */
struct dusk_frames *dusk_frames_get(void);

/* Give back the buffer that dusk_frames_get() returned last. */
void dusk_frames_put(void);

/*
 * Put the first @nr frames, innermost first, of the buffer that dusk_frames_get() returned last into the stackmap.
 *
 * Returns their id, the same for the same stack; 0: the stackmap is full, or @nr is above DUSK_KERNEL_FRAMES.
 */
__u32 dusk_stack_id(__u32 nr);

/*
 * Take the kernel stack of the program context @ctx, as bpf_get_stack() does, without its @skip innermost frames (the
 * program and its callers; at most 255).
 *
 * Returns its id in the stackmap; 0: there is no stack, no buffer is free, or the stackmap is full.
 */
static __attribute__((always_inline)) inline __u32 dusk_kernel_stack(void *ctx, __u32 skip)
{
	struct dusk_frames *f = dusk_frames_get();
	__u32 id = 0;
	long bytes;

	if (!f)
		return 0;
	bytes = bpf_get_stack(ctx, f->frame, sizeof(f->frame), skip & 0xff);
	if (bytes > 0)
		id = dusk_stack_id(bytes / sizeof(__u64));
	dusk_frames_put();
	return id;
}
