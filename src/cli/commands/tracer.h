/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Write the stacks of tracefs events to ftrace's ring buffer, beside the events. The BPF side is bpf/trace/trace.bpf.c.
 *
 * This is a tool on libdusk with its own BPF programs and libbpf, as third parties would write it.
 */
#pragma once
#include <dusk/stackmap.h>
#include "bpf/trace/trace.h"

struct tracer_options {
	char *const *events; /* "sched:sched_switch" each, at most TRACE_MAX_EVENTS */
	size_t nr_events;
	const pid_t *pids; /* trace these with all that they have created and create; none: all processes but our own */
	size_t nr_pids;
	bool no_children; /* only these themselves */
	bool from_exec;	  /* trace them only after they call execve() */
	bool no_faults;
	uint32_t max_depth, stackmap_bits; /* 0: the default */
	pid_t self;			   /* our PID, which is not traced; 0: we are in another PID namespace */
};

struct tracer;

/*
 * Load the programs and attach them. Free *@ret with tracer_free(). Returns 0, with @err empty or a warning; or a
 * negative errno with the reason in @err: -EPERM and -EOPNOTSUPP as dusk_unwind_open().
 */
int tracer_new(struct tracer **ret, const struct tracer_options *o, struct dusk_error *err);
void tracer_free(struct tracer *t);

/* Poll the unwinder for @timeout_ms, which does its maintenance. Returns 0 or a negative errno. */
int tracer_poll(struct tracer *t, int timeout_ms);

/* Stop tracing events. Pending stacks of earlier events are still written. */
void tracer_detach(struct tracer *t);

/*
 * Copy all stacks that got an id since the tracer began, with names. Free *@ret with dusk_stacks_free(). Returns 0 or a
 * negative errno.
 */
int tracer_stacks(struct tracer *t, struct dusk_stacks **ret);

struct tracer_counts {
	uint64_t events;    /* events of traced tasks */
	uint64_t missed;    /* events of any task that occurred while another BPF program ran on their CPU */
	uint64_t untraced;  /* children of traced processes for which there was no room */
	uint64_t unwritten; /* lines that were lost because the kernel had no buffer */
	uint64_t without[TRACE_MAX_OUTCOMES]; /* lines that name no user stack, by outcome */
};
void tracer_count(const struct tracer *t, struct tracer_counts *ret);
