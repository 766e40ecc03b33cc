/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A reader of perf.data, in the form that perf record writes to a file.
 *
 * There are two passes. The first reads the header and each record once, in file order, to find the events, the times
 * and the order. The second passes the records to the caller in the order of time, and reads each again. The file is
 * untrusted: every length is checked against what contains it, on a copy, so the file may also change meanwhile.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"

#define PERFDATA_BUILD_ID_TEXT 41
#define PERFDATA_NO_CPU UINT32_MAX
#define PERFDATA_SUM_NS (~0ULL << 32) /* times from here on are perf's off-CPU sums, written at the end */

struct perfdata_event {
	const char *name; /* "cpu-clock", "unnamed" */
	uint32_t type;	  /* from perf_event_attr, as the next ones */
	uint64_t config, sample_type, read_format;
	uint64_t period;	   /* between samples, */
	bool is_frequency;	   /* ... or samples per second */
	bool has_trailer;	   /* records other than samples have the thread and the time */
	uint64_t samples, periods; /* their number, and their sum */
	uint64_t regs_user;   /* the registers in samples with copies of stacks, a bit each; 0: there are no copies */
	uint64_t branch_type; /* what its branch stacks are of */
	bool is_real_time;    /* times are of CLOCK_REALTIME */
};

struct perfdata_build_id {
	const char *path;
	char text[PERFDATA_BUILD_ID_TEXT]; /* hexadecimal */
	bool kernel;
};

enum perfdata_kind {
	PERFDATA_SAMPLE,
	PERFDATA_DEFERRED,
	PERFDATA_MAP,
	PERFDATA_NAME,
	PERFDATA_FORK,
	PERFDATA_EXIT,
	PERFDATA_LOST,
	PERFDATA_SWITCH,
	PERFDATA_OTHER,
};

/* The mode in which the code ran: PERF_RECORD_MISC_KERNEL and so on. */
enum perfdata_mode {
	PERFDATA_UNKNOWN,
	PERFDATA_KERNEL,
	PERFDATA_USER,
	PERFDATA_HYPERVISOR,
	PERFDATA_GUEST_KERNEL,
	PERFDATA_GUEST_USER,
};

/* As struct perf_branch_entry. */
struct perfdata_branch {
	uint64_t from, to, flags;
};

/* Members that do not belong to the kind are 0. Pointers are valid until the next record. */
struct perfdata_record {
	enum perfdata_kind kind;
	enum perfdata_mode mode;
	uint32_t pid, tid, cpu;
	uint64_t time_ns;
	const struct perfdata_event *event;	/* SAMPLE */
	uint64_t address, period;		/* SAMPLE */
	uint64_t cookie;			/* DEFERRED */
	uint64_t regs_abi;			/* SAMPLE of an event with regs_user: 0 if there are no registers, */
	const uint64_t *regs;			/* ... else their values, in the order of the bits */
	const void *stack;			/* ... and the memory from the stack pointer on, */
	uint64_t stack_bytes, stack_room;	/* ... of so many bytes; for so many there was room */
	const struct perfdata_branch *branches; /* SAMPLE: its branch stack, the latest first */
	uint64_t nr_branches;
	const uint64_t *ips; /* SAMPLE, DEFERRED: innermost first, with perf's context markers */
	uint64_t nr_ips;
	uint64_t start, bytes, offset; /* MAP */
	uint64_t dev, ino;
	uint32_t generation, protection, flags; /* as for mmap(2); flags are 0 in old records */
	char build_id[PERFDATA_BUILD_ID_TEXT];	/* or "" */
	const char *text;			/* MAP: the path; NAME: the name */
	bool exec;	     /* NAME: set by execve(); FORK: synthesized, for a process that existed before */
	uint32_t ppid, ptid; /* FORK, EXIT */
	uint64_t lost;	     /* LOST */
	bool out, preempted; /* SWITCH: away from the thread; and it could have run on (Linux 4.17 and later) */
};

struct perfdata {
	const char *hostname, *kernel, *version, *machine, *command; /* "" if not in the file */
	uint32_t nr_cpus;					     /* 0: likewise */
	const char *landmark;					     /* a kernel function, or "", */
	uint64_t landmark_address;				     /* ... and its address */
	char kernel_build_id[PERFDATA_BUILD_ID_TEXT];
	uint32_t nr_events, nr_build_ids;
	struct perfdata_event *events;
	const struct perfdata_build_id *build_ids;
	uint64_t first_ns, last_ns; /* of samples */
	uint64_t written_ns;	    /* when the file was written last, since 1970 */
	uint64_t malformed;	    /* invalid records */
	uint64_t unnamed;	    /* samples of events that the header does not list */
	uint64_t unknown;	    /* records of kinds newer than this reader */
	uint64_t cut_bytes;	    /* at the end of the file: they should be there, or are no whole records */
	bool unfinished;	    /* perf did not come to write the number of bytes, nor what follows them */
};

/*
 * Read the header and index the records of @fd, which stays the caller's; @path is for messages. It may be a folder of perf's,
 * whose file is "data", with more records in data.0 and so on. Of a file that was cut short, what is whole is read. Free *@ret with
 * perfdata_free().
 * Returns 0, -EINVAL (not a perf.data file, or damaged), -EOPNOTSUPP (a form that is not supported: @err says which),
 * -ENOMEM, -EIO, ...
 */
int perfdata_open(struct perfdata **ret, int fd, const char *path, struct dusk_error *err);

/*
 * Call @fn for each record, in the order of time, until it returns a value other than 0.
 * Returns that value, 0, -EIO, or -EINVAL (the file has changed since it was opened).
 */
int perfdata_read(struct perfdata *d, int (*fn)(void *ctx, const struct perfdata_record *r), void *ctx);
void perfdata_free(struct perfdata *d);

static inline void perfdata_freep(struct perfdata **d)
{
	perfdata_free(*d);
}
