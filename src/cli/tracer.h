/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Events of tracefs get their stacks beside them in ftrace's ring buffer: the BPF side is bpf/trace/trace.bpf.c.
 *
 * A tool on libdusk, with its own programs and with libbpf, as somebody else would write it.
 */
#pragma once
#include <dusk/stackmap.h>

#define TRACER_MAX_EVENTS 1024

struct tracer_options {
	char *const *events; /* "sched:sched_switch" each, at most TRACER_MAX_EVENTS */
	size_t nr_events;
	const pid_t *pids; /* these processes and their children; none: all but our own */
	size_t nr_pids;
	bool from_exec; /* not before they call execve() */
	bool no_faults;
	uint32_t max_depth, stackmap_bits; /* 0: what is usual */
	pid_t self;			   /* is not traced; 0: the kernel numbers us otherwise */
};

struct tracer;

/*
 * Load the programs and attach them. *@ret is to be ended with tracer_free(). A warning may be in @err, else empty,
 * though it returns 0. -EPERM, -EOPNOTSUPP as dusk_unwind_open().
 */
int tracer_new(struct tracer **ret, const struct tracer_options *o, struct dusk_error *err);
void tracer_free(struct tracer *t);

/* Look after the unwinder, for @timeout_ms. 0 or a negative errno. */
int tracer_poll(struct tracer *t, int timeout_ms);

/* No more events are traced; what is due for those before is still written. */
void tracer_detach(struct tracer *t);

/* All stacks that an id was given for since the tracer began, with names. To be freed with dusk_stacks_free(). */
int tracer_stacks(struct tracer *t, struct dusk_stacks **ret);

struct tracer_counts {
	uint64_t events;    /* of the tasks that are traced */
	uint64_t missed;    /* that came while another BPF program held the CPU, of any task */
	uint64_t unwritten; /* lines for which the kernel had no buffer */
};
void tracer_count(const struct tracer *t, struct tracer_counts *ret);
