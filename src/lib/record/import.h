/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Turn perf's records, one after the other, into a profile; import.c does the rest of the file.
 *
 * Mappings are followed (processes.h), so that a stack is (module, offset), as dusk keeps it. A sample with a deferred
 * user stack waits for it under its thread and cookie.
 */
#pragma once
#include "lib/perfdata/perfdata.h"
#include "lib/process/processes.h"
#include "lib/profile/write/write.h"
#include "lib/record/import_walk.h"

/* How an event's samples are imported. */
struct import_use {
	enum { IMPORT_LEFT_OUT, IMPORT_TICKS, IMPORT_OFFCPU } as;
	bool in_ns;	  /* periods are nanoseconds */
	uint64_t each_ns; /* else: nanoseconds that a sample stands for on average; 0: periods as they are */
};

struct import_waiting {
	struct dusk_sample sample;
	uint32_t pid;
	uint64_t *kernel; /* its @nr_kernel kernel frames */
	uint32_t nr_kernel;
	uint32_t next; /* the next with the same thread and cookie: index + 1 */
};

struct import {
	struct perfdata *data;
	struct profile_writer *writer;
	struct import_use *uses;	/* by event */
	bool same_boot;			/* the recorded kernel is the one that runs here now, in the same boot */
	uint32_t kernel;		/* its module */
	uint64_t period_ns;		/* of the profile's ticks */
	struct strings paths;		/* paths of files; the first ones have a build id */
	struct vec(uint32_t) build_ids; /* index of the build id in the perf data, by number in @paths */
	struct processes processes;
	struct import_walk walk;
	struct vec(uint64_t) kernel_ips, user_ips; /* of the current sample, innermost first */
	bool are_calls;				   /* user_ips are the calls, not where they return to */
	struct strings cookies;			   /* (thread, cookie) -> number in @heads */
	struct vec(uint32_t) heads;		   /* the first that waits: index + 1 */
	struct vec(struct import_waiting) waiting;
	uint64_t samples, intervals;
	uint64_t lost, left_out, refused, pending, foreign, unmapped;
	int (*stop)(void *ctx); /* may be NULL */
	void *ctx;
	uint64_t records;
};

/*
 * Import a record; @import is a struct import. For perfdata_read(). Returns 0, -ENOMEM, -ECANCELED, or an error of the
 * writer's.
 */
int import_record(void *import, const struct perfdata_record *r);

/* Return the profile's frame of code at @ip of @pid, by what is mapped there. */
uint32_t import_frame(struct import *im, uint32_t pid, uint64_t ip, bool is_return);

/* End the import: samples that still wait for a user stack get none. */
int import_end(struct import *im);
void import_done(struct import *im);
