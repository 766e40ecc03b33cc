/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The perf events of a recording without BPF: what each asks the kernel for, and the best of that which the kernel and
 * the user's privileges allow.
 */
#pragma once
#include <dusk/dusk.h>
#include <linux/perf_event.h>
#include "lib/copied/source.h"

struct attr_choice {
	struct source_options o;
	bool machine;	   /* events of CPUs; else of threads */
	bool kernel;	   /* what runs in the kernel may be seen, and so the stack at a context switch */
	bool cycles;	   /* there is a PMU */
	bool no_build_ids; /* mappings come with inodes only (before Linux 5.12) */
	size_t ring_bytes; /* of samples, if there is memory for the largest; 0: no more than the least is certain */
};

/* Try events of @tid on @cpu, from the best to what any kernel and user has. Returns 0 or an errno of perf_event_open(2). */
int attr_choose(struct attr_choice *c, pid_t tid, int cpu);

/* Is there an event for @ring? */
bool attr_is_used(const struct attr_choice *c, enum source_ring ring);

/* See source_stack_bytes(). */
uint32_t attr_stack_bytes(const struct attr_choice *c, enum source_ring ring);

/* Describe the event for @ring. */
struct perf_event_attr attr_of(const struct attr_choice *c, enum source_ring ring);

/* With PERF_FLAG_PID_CGROUP in @flags, @tid is the descriptor of a cgroup. Returns a descriptor or a negative errno. */
int attr_open(struct perf_event_attr *a, pid_t tid, int cpu, unsigned long flags);

/* Is @ring confined to a cgroup, if there is one? Mappings are needed of all processes, as they may move there. */
bool attr_is_confined(enum source_ring ring);

/* Say why an event of @tid on @cpu could not be opened, @ret. Returns what source_new() then returns. */
int attr_refuse(const struct attr_choice *c, pid_t tid, int cpu, int ret, struct dusk_error *err);

/* The same of an event of cgroup @path. */
int attr_refuse_cgroup(const char *path, int ret, struct dusk_error *err);
