/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What did perf record? A reader of perf.data, in the form that perf record writes to a file.
 *
 * Two passes: the header and all records are looked at once, where they lie, to know the events, the times and the
 * order; then records are told by their time, each read anew. Nobody vouches for the file: every length is checked
 * against what holds it, on a copy, so it may also change meanwhile.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"

#define PERFDATA_BUILD_ID_TEXT 41
#define PERFDATA_NO_CPU UINT32_MAX
#define PERFDATA_SUM_NS (~0ULL << 32) /* from here on a time is none: perf's off-CPU sums, written at the end */

struct perfdata_event {
	const char *name; /* "cpu-clock", "unnamed" */
	uint32_t type;	  /* of perf_event_attr, as the next ones */
	uint64_t config, sample_type, read_format;
	uint64_t period;	   /* between samples, */
	bool is_frequency;	   /* ... or samples a second */
	bool has_trailer;	   /* records that are no samples say whose they are, and when */
	uint64_t samples, periods; /* how many there are, and their sum */
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
	PERFDATA_LOST,
	PERFDATA_OTHER,
};

/* Whose code it was: PERF_RECORD_MISC_KERNEL and so on. */
enum perfdata_mode {
	PERFDATA_UNKNOWN,
	PERFDATA_KERNEL,
	PERFDATA_USER,
	PERFDATA_HYPERVISOR,
	PERFDATA_GUEST_KERNEL,
	PERFDATA_GUEST_USER,
};

/* What does not belong to the kind is 0. Pointers are good until the next record. */
struct perfdata_record {
	enum perfdata_kind kind;
	enum perfdata_mode mode;
	uint32_t pid, tid, cpu;
	uint64_t time_ns;
	const struct perfdata_event *event; /* SAMPLE */
	uint64_t address, period;	    /* SAMPLE */
	uint64_t cookie;		    /* DEFERRED */
	const uint64_t *ips;		    /* SAMPLE, DEFERRED: with perf's marks, the innermost first */
	uint64_t nr_ips;
	uint64_t start, bytes, offset; /* MAP */
	uint64_t dev, ino;
	uint32_t generation;
	char build_id[PERFDATA_BUILD_ID_TEXT]; /* or "" */
	const char *text;		       /* MAP: the path; NAME: the name */
	bool exec;			       /* NAME: by execve(); FORK: told of what was there before */
	uint32_t ppid, ptid;		       /* FORK */
	uint64_t lost;			       /* LOST */
};

struct perfdata {
	const char *hostname, *kernel, *version, *machine, *command; /* "" if the file does not tell */
	uint32_t nr_cpus;					     /* 0: the same */
	const char *landmark;					     /* a function of the kernel, or "", */
	uint64_t landmark_address;				     /* ... and where it was */
	char kernel_build_id[PERFDATA_BUILD_ID_TEXT];
	uint32_t nr_events, nr_build_ids;
	struct perfdata_event *events;
	const struct perfdata_build_id *build_ids;
	uint64_t first_ns, last_ns; /* of samples */
	uint64_t malformed;	    /* records that make no sense */
	uint64_t unnamed;	    /* samples of events that are not in the header */
	uint64_t unknown;	    /* records of kinds that are newer than this reader */
};

/*
 * Look at the file in @fd, which stays the caller's; @path is for messages. *@ret is to be freed with perfdata_free().
 * -EINVAL: no perf.data, or damaged; -EOPNOTSUPP: of a form that is not read (which: @err); -ENOMEM, -EIO, ...
 */
int perfdata_open(struct perfdata **ret, int fd, const char *path, struct dusk_error *err);

/*
 * Call @fn for each record, by time. Anything but 0 that it returns ends it, and is returned. Else 0, or -EIO; -EINVAL:
 * the file has changed meanwhile.
 */
int perfdata_read(struct perfdata *d, int (*fn)(void *ctx, const struct perfdata_record *r), void *ctx);
void perfdata_free(struct perfdata *d);

static inline void perfdata_freep(struct perfdata **d)
{
	perfdata_free(*d);
}
