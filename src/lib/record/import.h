/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How do perf's records become a profile? The records, one after the other; import.c has what is around them.
 *
 * What was mapped where is followed (processes.h), so that a stack is (module, offset), as dusk keeps it. A sample
 * whose user stack is deferred waits for that under its thread and cookie.
 */
#pragma once
#include "lib/profile/perfdata.h"
#include "lib/process/processes.h"
#include "lib/profile/profile_write.h"

/* What an event's samples are taken as. */
struct import_use {
	enum { IMPORT_LEFT_OUT, IMPORT_TICKS, IMPORT_OFFCPU } as;
	bool in_ns;	  /* periods are nanoseconds */
	uint64_t each_ns; /* else: what a sample stands for on average; 0: periods as they are */
};

struct import_waiting {
	struct dusk_sample sample;
	uint32_t pid;
	uint64_t *kernel; /* its kernel frames: @nr_kernel */
	uint32_t nr_kernel;
	uint32_t next; /* with the same thread and cookie: index, plus 1 */
};

struct import {
	struct perfdata *data;
	struct profile_writer *writer;
	struct import_use *uses;	/* by event */
	bool same_boot;			/* this machine's kernel was recorded, as it runs */
	uint32_t kernel;		/* modules */
	uint64_t period_ns;		/* of the profile's ticks */
	struct strings paths;		/* of files; the first ones have a build id, */
	struct vec(uint32_t) build_ids; /* ... whose index this is, by number */
	struct processes processes;
	struct vec(uint64_t) kernel_ips, user_ips; /* of the sample at hand, the innermost first */
	struct strings cookies;			   /* of threads -> the first that waits, plus 1 */
	struct vec(uint32_t) heads;
	struct vec(struct import_waiting) waiting;
	uint64_t samples, intervals;
	uint64_t lost, left_out, refused, pending, foreign, unmapped;
	int (*stop)(void *ctx); /* may be NULL */
	void *ctx;
	uint64_t records;
};

/* For perfdata_read(), with a struct import. 0, -ENOMEM, -ECANCELED, or an error of the writer's. */
int import_record(void *import, const struct perfdata_record *r);

/* There are no more: whose user stack has not come has none. */
int import_end(struct import *im);
void import_done(struct import *im);
