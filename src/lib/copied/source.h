/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The perf events of a recording without BPF, and the rings that their records come through.
 *
 * For each CPU there is a ring for samples, with registers and a piece of the stack each, and one for what is said of
 * processes: mappings, forks, names, ends. If context switches are recorded, there are two more: one for the switches,
 * which are small, and one for samples of the stack at each. Samples are large and may fill their ring; what is small
 * has rings of its own, so that it is lost only if nothing is read for long. Without privilege, events are of threads;
 * each has all of them on each CPU.
 */
#pragma once
#include <dusk/dusk.h>

#include "core/arch/regs.h"
#include "lib/copied/queue.h"
#include "lib/perfdata/record.h"

/* Registers of a sample, in the order of core/arch/regs.h. */
#define COPIED_REGS INPUT_REGS

#define SAMPLE_RING_LEAST (1 << 17) /* room for one of the largest samples */
#define PROCESS_RING_LEAST (1 << 15)
#define SWITCH_RING_LEAST (1 << 14)

#define COPIED_STACK_BYTES 16384      /* by default, at least */
#define COPIED_STACK_BYTES_ROOM 61440 /* by default, where the ring has room for a quarter of a second of samples */
#define COPIED_STACK_BYTES_MAX 65528  /* a record ends below 64 KiB; the kernel copies less if there is no room */

/* Which ring a record is from. */
enum source_ring { SOURCE_SAMPLES, SOURCE_PROCESSES, SOURCE_SWITCHES, SOURCE_STACKS, NR_SOURCE_RINGS };

/*
 * Beside the records of the rings: switches may have been lost from here on, or up to here. Its kind in a queue is
 * SOURCE_LOSS, and its misc is 1 or 0.
 */
#define SOURCE_LOSS NR_SOURCE_RINGS

struct source_options {
	uint32_t hz;
	uint32_t stack_bytes; /* 0: see source_stack_bytes() */
	bool cpu, switches;   /* samples of CPU time, context switches */
	const pid_t *tids;    /* threads to sample, with all that they create; none: the whole machine */
	size_t nr_tids;
	bool from_exec;	  /* from their next execve() on */
	bool no_children; /* not the processes that they create */
	const int *cpus;  /* only these; none: all that are online */
	size_t nr_cpus;
	/* Of the machine, samples of CPU time and of stacks below this folder of cgroup2 only; or NULL. */
	const char *cgroup;
};

struct perf_source;

/*
 * Open the events; nothing is recorded yet. Free *@ret with source_free().
 * Returns 0; -EPERM: not allowed to this user; -ESRCH: all of the threads have ended; -EMFILE; -EINVAL: no such CPU, or
 * too high a rate; -EOPNOTSUPP: this kernel has no such events; those of open(2): the cgroup cannot be opened.
 */
int source_new(struct perf_source **ret, const struct source_options *o, struct dusk_error *err);
void source_free(struct perf_source *s);

/* Add a thread that has appeared since, as those of the options. Returns as source_new(). */
int source_add(struct perf_source *s, pid_t tid, struct dusk_error *err);

/*
 * Record from now on what goes to the rings @which; threads that wait for their execve() begin then. Start with
 * SOURCE_PROCESSES, read what is mapped, and go on with SOURCE_SAMPLES: so no sample is of a process of which nothing is
 * known, as it has ended before it could be read.
 */
void source_start(struct perf_source *s, enum source_ring which);
void source_stop(struct perf_source *s);

/*
 * Look for CPUs that have come online since, and for those whose events are over as they went offline: what these have recorded
 * goes to @q. To be called about once a second. Returns how many CPUs are without events, or as source_take().
 */
int source_look(struct perf_source *s, struct queue *q);

/*
 * Open events on CPUs that have none and are online, and let those begin that others have begun. @tids: all threads that are
 * recorded and live, if the machine is not. One that is created just now may have none on these CPUs.
 */
void source_open_cpus(struct perf_source *s, const pid_t *tids, size_t nr);

/* How many CPUs were online, but their events were refused? */
size_t source_refused(const struct perf_source *s);

/*
 * Put all records that are there into @q, with an enum source_ring as kind, and where switches were lost, SOURCE_LOSS.
 * Returns 0, -ENOMEM or -EPROTO.
 */
int source_take(struct perf_source *s, struct queue *q);

/* Wait until a ring has much to read, at most @ms milliseconds. Returns 0, or -EINTR: a signal came. */
int source_wait(struct perf_source *s, unsigned int ms);

/* Decode a record that came from @ring. Returns as perfdata_decode(). */
int source_decode(const struct perf_source *s, uint32_t ring, const struct perf_event_header *h,
		  struct perfdata_record *ret);

/*
 * Write the registers of a sample to @ret, in the order of core/arch/regs.h, and to *@missing those that it does not have, a
 * bit each. False: the sample has none, or not those without which no stack can be walked.
 */
bool source_registers(const struct perfdata_record *r, uint64_t ret[COPIED_REGS], uint32_t *missing);

/* How many milliseconds may pass between two calls of source_take() without loss, with each CPU busy? At least 1. */
unsigned int source_patience_ms(const struct perf_source *s);

/*
 * Return how many samples of @ring were dropped by source_take(), as those before them wait still: more come than can be
 * walked, and memory has a limit.
 */
uint64_t source_dropped(const struct perf_source *s, enum source_ring ring);

/*
 * Return how much of a stack, from the stack pointer on, a sample of @ring has, unless the stack ends before. It is
 * what the options say; or what the ring has room for, between COPIED_STACK_BYTES and COPIED_STACK_BYTES_ROOM, and of
 * switches, which may be many, COPIED_STACK_BYTES.
 */
uint32_t source_stack_bytes(const struct perf_source *s, enum source_ring ring);

/* Are kernel stacks, and what runs in the kernel, recorded? Without privilege that depends on the system's settings. */
bool source_sees_kernel(const struct perf_source *s);

/* Is there a sample of the stack at each context switch? */
bool source_has_stacks(const struct perf_source *s);

/* Return "cycles" or "cpu-clock"; "off-cpu": there are no samples of CPU time. */
const char *source_event(const struct perf_source *s);
