/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The times of threads on and off their CPUs, from the kernel's records of context switches.
 *
 * A thread is on a CPU from a switch to it until the switch away from it. What lies between two of its records is one or
 * the other; it is of neither kind, and not accounted for, if records may have been lost meanwhile, or if the two
 * contradict each other. So an interval never has an end that is not its own.
 *
 * The records do not say what a thread waits for, nor when it is woken: BLOCKED includes the time that it then waits for
 * a CPU. A preempted thread, and one that has not run yet, waits for nothing else.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "abi/offcpu.h"
#include "base/map.h"
#include "base/vec.h"

/* The stack that a thread had when it left its CPU, as the caller numbers it. */
struct switch_stack {
	uint32_t user, kernel; /* 0: none */
	uint8_t outcome;
};

/* An off-CPU interval. */
struct switch_interval {
	pid_t pid, tid;
	uint64_t begin_ns, end_ns; /* the time of the caller's records */
	uint32_t cpu;		   /* of its end */
	uint8_t state;		   /* enum offcpu_reason */
	struct switch_stack stack;
};

/* A thread's life, as far as it was recorded. */
struct switch_life {
	pid_t pid, tid;
	uint64_t start_ns, end_ns;
	uint64_t on_cpu_ns, runnable_ns, blocked_ns; /* what is known of it */
	uint64_t intervals;
};

struct switched_thread {
	struct switch_life life;
	/* UNSEEN: no record so far; GONE: it has ended; OUTSIDE: it is not of interest any more */
	enum { UNSEEN, ON_CPU, OFF_CPU, GONE, OUTSIDE } place;
	uint64_t since_ns;  /* it is at that place */
	uint64_t looked_ns; /* UNSEEN: when @state was read */
	uint32_t losses;    /* that had begun or ended by then */
	bool certain;	    /* no loss was going on then */
	uint8_t state;	    /* enum offcpu_reason, if it is off its CPU */
	bool has_stack;
	uint32_t stack_losses; /* as losses, when the stack came */
	struct switch_stack stack;
};

/* To be initialized with its first members, and ended with switches_done(). */
struct switches {
	void *ctx;
	void (*interval)(void *ctx, const struct switch_interval *i);
	void (*life)(void *ctx, const struct switch_life *l);
	uint8_t no_stack; /* the outcome of a stack that was not sampled */
	/*
	 * The records are of all threads, and only threads that have a stack when they leave their CPU are of interest: those
	 * of a cgroup, while they are there.
	 */
	bool by_stacks;
	uint64_t start_ns;
	struct map of_tid; /* -> index in threads */
	struct vec(struct switched_thread) threads;
	uint32_t losses, going_on; /* begins and ends of losses; losses that have not ended */
	uint64_t unknown;	   /* times between two records of a thread that are of neither kind */
};

void switches_done(struct switches *s);

/* Begin at @start_ns; what came before only tells where threads are. */
void switches_begin(struct switches *s, uint64_t start_ns);

/*
 * A thread that is there at the beginning, and its @state, a letter of /proc/PID/stat, at @looked_ns. Returns 0 or
 * -ENOMEM, as the following do.
 */
int switches_thread(struct switches *s, pid_t pid, pid_t tid, char state, uint64_t looked_ns);

/* Is thread @tid known, and has not ended? */
bool switches_knows(const struct switches *s, pid_t tid);

/* A thread was born, has called execve(), has ended. */
int switches_fork(struct switches *s, pid_t pid, pid_t tid, uint64_t time_ns);
int switches_exec(struct switches *s, pid_t pid, pid_t tid, uint64_t time_ns);
int switches_exit(struct switches *s, pid_t tid, uint64_t time_ns);

/* With @s->by_stacks: a thread of somebody else was born. */
void switches_fork_outside(struct switches *s, pid_t tid);

/* The stack of a thread that is about to leave its CPU: switches_out() follows, unless that record was lost. */
int switches_stack(struct switches *s, pid_t pid, pid_t tid, const struct switch_stack *stack, uint64_t time_ns);

int switches_out(struct switches *s, pid_t pid, pid_t tid, bool preempted, uint64_t time_ns);
int switches_in(struct switches *s, pid_t pid, pid_t tid, uint32_t cpu, uint64_t time_ns);

/* From here on, or up to here, records of any threads may have been lost. Several losses may go on at a time. */
void switches_lose(struct switches *s, bool begins);

/* The births and ends of threads were lost: a number may be that of another thread now. */
void switches_forget(struct switches *s);

/* End all that still is at @end_ns. */
void switches_end(struct switches *s, uint64_t end_ns);
