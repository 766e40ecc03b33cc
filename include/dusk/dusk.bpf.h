/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Complete user stacks for BPF programs, of whatever type: include this, link with dusk.bpf.o, load through libdusk
 * (dusk_unwind_open(), <dusk/dusk.h>).
 *
 * A program asks for the user stack of the current task, and gets a cookie. The stack is walked once, when the task is
 * about to return to user mode, for all who have asked during this visit to the kernel, tools that know nothing of each
 * other included. Then each consumer is served, in the way it chose in dusk_unwind_add_consumer(): an event in its ring
 * buffer, its charges entered in its map, or a call of dusk_unwind_done().
 *
 * To be included after vmlinux.h (or linux/types.h) and bpf/bpf_helpers.h.
 */
#pragma once

#define DUSK_MAX_CONSUMERS 16

/* The answer to a request. */
struct dusk_unwind {
	__u64 cookie;  /* of no other walk: the consumer is served under it; 0: nothing will come */
	__u32 stack;   /* DUSK_EXECUTED: the stack's id; 0: it has none, see outcome */
	__u32 outcome; /* DUSK_EXECUTED and errors: how the stack ended, or why there is none (dusk_outcome()) */
};

enum {
	DUSK_QUEUED = 0, /* this request has queued the walk, and the consumer will be served under its cookie */
	DUSK_PENDING =
		1, /* the walk was queued before, by whomever: the consumer will be served under its cookie, once */
	DUSK_EXECUTED =
		2, /* the walk of this visit to the kernel is over, as it is for tasks that exit: here is the stack */
};

/*
 * Ask for the user stack of the current task for @consumer, a number below DUSK_MAX_CONSUMERS by which user space has
 * called dusk_unwind_add_consumer(). Any context: NMI, interrupt, under the run-queue lock, task; constant time, no
 * lock; may allocate the task's state when a task is asked for the first time.
 *
 * DUSK_QUEUED, DUSK_PENDING, DUSK_EXECUTED, or a negative errno with the reason in ret->outcome:
 *	-ENOENT		@consumer is not, or no longer, registered
 *	-EINVAL		a kernel thread, or a task whose memory is gone: it has no user stack
 *	-EPERM		the process is excluded: a walk of it did not end
 *	-ENOSPC		the table of tasks is full
 *	-EAGAIN		interrupts kept changing the task's state, or the task was walked twice just now and, on kernels that
 *			do not tell one visit from the next, may not have been in user mode since
 *	-EOVERFLOW	the CPU has given out all its cookies, of which none is used twice (with 64 CPUs, 2^41)
 *	others		the kernel did not take the task work
 */
int dusk_unwind_request(__u32 consumer, struct dusk_unwind *ret);

/*
 * The same for perf_event programs, which may interrupt the kernel's entry code while it saves the user's registers:
 * @ip is the interrupted instruction, ctx->regs.ip.
 */
int dusk_unwind_request_at(__u32 consumer, __u64 ip, struct dusk_unwind *ret);

/*
 * To be called in programs at uprobes, and USDT, that ask for stacks: it does nothing when it is called, but sees to it
 * that tasks which preempt each other there do not share the program's variables, as they do on linux 6.13 and newer.
 * All its variables and those of what it calls have to fit in 512 bytes then; the caller's own, in 120. libdusk loads
 * no such program without it.
 */
int dusk_unwind_at_uprobe(void);

/*
 * The stack of the current task, if it can be told at once: because it stood here before, or because all that a walk
 * needs is at hand. DUSK_EXECUTED, or -EAGAIN: ask for it. For tasks on their way back from an off-CPU interval
 * (sched_exit_tp) and in system calls; not for NMI, nor under the run-queue lock: it may take some microseconds.
 */
int dusk_unwind_try(struct dusk_unwind *ret);

/*
 * The same in an interrupt or NMI that came upon user mode ((__s64)ctx->regs.ip >= 0): it walks 32 frames at most,
 * which takes less time than to schedule a walk.
 */
int dusk_unwind_try_irq(struct dusk_unwind *ret);

/*
 * The stack of the current task right now, for programs that may sleep (uprobe.s, lsm.s, fentry.s, syscall): walked
 * here, with the page faults that it takes, unless this visit's stack has been walked before. Others who wait for it
 * are served with it. No consumer is needed. The walk is verified with your program: call it in one place, not below
 * another function of yours, and with at most DUSK_NOW_STACK bytes of stack in that program.
 *
 * DUSK_EXECUTED, or a negative errno with the reason in ret->outcome: -EINVAL, -EPERM, -ENOSPC as above, and
 *	-EAGAIN		not here, but dusk_unwind_request() may be of use: in execve(), below a walk of the same task, or while
 *			all walkers are busy
 */
#define DUSK_NOW_STACK 64
int dusk_unwind_now(struct dusk_unwind *ret);

/*
 * dusk_unwind_request(), and charge @amount to @key and the stack: when the stack is known, the row {key, stack} of
 * the consumer's map grows by @amount and a count of 1, without a trip to user space. Also for a task that has no
 * stack: then the row is {key, outcome}. As many charges a visit as you like.
 */
int dusk_unwind_aggregate(__u32 consumer, __u64 key, __u64 amount, struct dusk_unwind *ret);

/*
 * Your own function, for consumers that asked for DUSK_DELIVER_CALLBACK; called once for each cookie, in the context of
 * the task, where nothing may sleep. @stack is 0 where there is no stack; @outcome says why, or how it ended.
 */
int dusk_unwind_done(__u32 consumer, __u64 cookie, __u32 stack, __u32 outcome);

/* Room for a kernel stack, of which one is at hand in each context of each CPU. */
#define DUSK_KERNEL_FRAMES 128
struct dusk_frames {
	__u64 frame[DUSK_KERNEL_FRAMES];
};

struct dusk_frames *dusk_frames_get(void); /* to be given back in the same program run; NULL: too deep in interrupts */
void dusk_frames_put(void);

/* The id in the stackmap of the @nr frames in what dusk_frames_get() gave last; 0: the stackmap is full. */
__u32 dusk_stack_id(__u32 nr);

/*
 * The id of the kernel stack of program context @ctx (as bpf_get_stack() takes it), without its @skip innermost frames:
 * the program itself and what called it. 0: none, or the stackmap is full.
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
