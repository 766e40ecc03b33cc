/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Threads that ptrace(2) samples: each is stopped for a moment, and goes on at once.
 *
 * What else stops a thread that is traced is passed on: signals, and the stops of shells and debuggers (SIGSTOP,
 * SIGTSTP), which last until SIGCONT. Threads and processes that they create are traced, too. No thread is left stopped:
 * when this process ends, however it does, the kernel lets them all go.
 *
 * All functions are to be called by one thread, as ptrace(2) belongs to the thread that calls it.
 */
#pragma once
#include <dusk/dusk.h>
#include <sys/types.h>

#include "abi/types.h"
#include "base/vec.h"

struct tracee {
	pid_t pid, tid;
	bool asked, listening, gone; /* asked to stop; in a group-stop; has ended */
	uint64_t asked_ns;	     /* when it was asked */
	uint64_t ran_ns, waited_ns;  /* then: its time on CPUs, and runnable */
	uint64_t sample_ns;	     /* of CPU time, for which the next sample stands */
};

struct tracees {
	void *ctx;
	/* A thread is stopped, with its registers as in core/arch/regs.h; it goes on when this returns. */
	void (*sample)(void *ctx, const struct tracee *t, const u64 *regs);
	/* A process runs a new program. */
	void (*exec)(void *ctx, pid_t pid);
	bool only;	  /* not the processes that they create */
	pid_t own_child;  /* is waited for by somebody else in this process; 0: there is none */
	bool child_ended; /* and it has ended */
	struct vec(struct tracee) v;
	uint64_t stops, stopped_ns, longest_ns; /* how often and long threads were stopped to be sampled */
	uint64_t left; /* at the end: threads that did not stop, so that they are traced still */
};

/*
 * Trace all threads of @pid. Returns 0, -ESRCH, -EPERM, or -ENOMEM. Those that are traced already stay so, also on
 * failure: tracees_done() lets them go.
 */
int tracees_add(struct tracees *ts, pid_t pid, struct dusk_error *err);

/* Ask those to stop that run now, and have run since they were sampled last. */
void tracees_ask(struct tracees *ts);

/* Return how many were asked to stop since @since_ns, and have not. */
size_t tracees_asked(const struct tracees *ts, uint64_t since_ns);

/* Is there one thread of process @pid only? */
bool tracees_is_alone(const struct tracees *ts, pid_t pid);

/* Serve all that have stopped. Returns how many there are, or -ENOMEM. */
int tracees_serve(struct tracees *ts);

/* Wait for a thread that stops, until @until_ns (CLOCK_MONOTONIC). Returns 0, or -EINTR: another signal came. */
int tracees_wait(uint64_t until_ns);

/* Let all of them go, for two seconds; ts->left did not stop for that. It may be called again. */
void tracees_leave(struct tracees *ts);

/* The same, and free what @ts keeps. Those that are left go when this process ends. */
void tracees_done(struct tracees *ts);
