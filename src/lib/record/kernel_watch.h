/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Note which BPF programs come and go while it records. The kernel says so in records of perf events (PERF_RECORD_KSYMBOL), on the
 * CPU where it happens. Where it does not allow such events, nothing is noted.
 */
#pragma once
#include "lib/copied/ring.h"
#include "lib/process/cpu_list.h"
#include "lib/process/kernel_code.h"

struct kernel_watch {
	struct kernel_code code;
	struct vec(struct kernel_watched {
		int fd;
		struct ring ring;
		uint64_t last_ns; /* of its last record */
		uint64_t nr_lost; /* so far */
	}) cpus;		  /* a CPU that was offline for a while has two */
	struct cpu_list online;	  /* when they were last looked for */
	bool refused;		  /* the kernel allows no such events */
	/* Comings and goings that are not known, as a ring was full; at the end also those that no record names (since Linux 6.0). */
	uint64_t nr_lost;
};

/* Watch from now on, on all CPUs that are online. */
void kernel_watch_begin(struct kernel_watch *k);

/* Watch those that have come online since: to be called about once a second. Returns 0 or -ENOMEM. */
int kernel_watch_cpus(struct kernel_watch *k);

/* Take what has come. Returns 0 or -ENOMEM. */
int kernel_watch_follow(struct kernel_watch *k);

/* Take the rest, and note how large those programs are that stay. Returns 0 or -ENOMEM. */
int kernel_watch_end(struct kernel_watch *k);

void kernel_watch_done(struct kernel_watch *k);
