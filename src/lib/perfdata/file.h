/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the parts of the perf.data reader, perfdata*.c, share. */
#pragma once
#include <linux/perf_event.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/strings.h"
#include "base/vec.h"
#include "lib/perfdata/record.h"

#define PIPE_HEADER_BYTES 16

/* Facts, by perf's feature numbers. */
enum {
	FACT_BUILD_ID = 2,
	FACT_HOSTNAME,
	FACT_KERNEL,
	FACT_VERSION,
	FACT_MACHINE,
	FACT_CPUS,
	FACT_COMMAND = 11,
	FACT_EVENTS,
	FACT_FOLDER = 24,
	FACT_COMPRESSED = 27
};

/* Types of records, from headers newer than those that may be installed, and from perf's own. */
enum {
	RECORD_CALLCHAIN_DEFERRED = 22,
	RECORD_FIRST_OF_PERF = 64,
	RECORD_ATTR = 64,
	RECORD_TRACING_DATA = 66,
	RECORD_BUILD_ID = 67,
	RECORD_AUXTRACE = 71,
	RECORD_EVENT_UPDATE = 78,
	RECORD_FEATURE = 80,
	RECORD_COMPRESSED = 81,
	RECORD_COMPRESSED2 = 83,
	RECORD_LAST_OF_PERF = 84, /* the last type known not to be needed here */
};

/* The offset of a record, and its time. */
struct perfdata_place {
	uint64_t time_ns, offset;
};

struct perfdata_file {
	struct perfdata d; /* the public part: the first member */
	int fd;
	const char *path;
	uint64_t bytes;		 /* of the file */
	uint64_t data, data_end; /* the records */
	uint64_t not_there;	 /* bytes of them that are behind the end of the file */
	uint64_t missing;	 /* bytes of records that were cut off, so far */
	int folder, own_fd;	 /* the file is in this folder; and is ours to be closed; else -1 */
	bool in_pieces;		 /* there are more records in other files of the folder */
	bool compressed;	 /* some of them are compressed */
	FILE *unpacked;		 /* then all are in this temporary file, whose descriptor is fd; else NULL */
	FILE *packed;		 /* or the file was compressed, and its records are, too: this is what it was */
	struct perfdata_layout layout;
	struct vec(struct perfdata_build_id) build_ids;
	bool timed; /* there was a sample with a time */
	struct strings strings;
	struct vec(struct perfdata_place) places;
	uint64_t *record; /* the current record, padded with zeros */
};

/* Open a regular file @name in @folder. Returns a file descriptor, -EINVAL (another kind of file), or a negative errno. */
int perfdata_open_piece(int folder, const char *name, struct stat *st);

/* Read @bytes bytes at @offset of the file to @to. Returns 0, -EINVAL (past the end), -EIO, ... */
int perfdata_pread(const struct perfdata_file *f, void *to, uint64_t offset, uint64_t bytes);

/* Read what is before and after the records. Returns an error as perfdata_open(). */
int perfdata_header(struct perfdata_file *f, struct dusk_error *err);

/* Read the events and the facts of a file that perf wrote to a pipe. Returns an error as perfdata_open(). */
int perfdata_pipe(struct perfdata_file *f, struct dusk_error *err);

/* Add an event with the first @len bytes of its struct perf_event_attr. Returns 0, -EINVAL (too many) or -ENOMEM. */
int perfdata_add_event(struct perfdata_file *f, const void *attr, uint64_t len);

/* Records with @id are of the event that was added last. Returns 0 or -ENOMEM. */
int perfdata_add_id(struct perfdata_file *f, uint64_t id);

/* Read the fact @bit, which has @bytes bytes at @v. Returns 0 or -ENOMEM. */
int perfdata_fact(struct perfdata_file *f, unsigned int bit, const void *v, uint64_t bytes);

#define PERFDATA_WINDOW_LOG 27 /* of a zstd stream: 128 MiB, as zstd itself limits it */

/* To how many bytes may the file be unpacked? */
uint64_t perfdata_most(const struct perfdata_file *f);

/* If the file as a whole is compressed, unpack it to a temporary file, which takes its place. Returns an error as perfdata_open(). */
int perfdata_whole(struct perfdata_file *f, struct dusk_error *err);

/* Unpack the records to a temporary file, which takes the place of the file. Returns an error as perfdata_open(). */
int perfdata_unpack(struct perfdata_file *f, struct dusk_error *err);

/*
 * Call @fn for each record, in the order of the file, with its offset; the record is at f->record. The bytes from the first one on
 * that is not whole are added to f->missing. Returns 0, or an error as perfdata_open().
 */
typedef int (*perfdata_visit)(struct perfdata_file *f, uint64_t offset, void *ctx);
int perfdata_each(struct perfdata_file *f, perfdata_visit fn, void *ctx, struct dusk_error *err);
