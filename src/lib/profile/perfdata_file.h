/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the parts of the perf.data reader share: perfdata.c, perfdata_header.c, perfdata_record.c. */
#pragma once
#include <linux/perf_event.h>

#include "base/map.h"
#include "base/strings.h"
#include "base/vec.h"
#include "lib/profile/perfdata.h"

#define PERFDATA_RECORD_BYTES (1 << 16) /* larger than any record */

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
	struct vec(struct perfdata_event) events;
	struct vec(struct perfdata_build_id) build_ids;
	bool timed;	/* there was a sample with a time */
	struct map ids; /* id in a record -> index of its event */
	struct strings strings;
	int id_from_start, id_from_end; /* which word of a sample, and of a trailer, is the id; -1: none */
	struct vec(struct perfdata_place) places;
	uint64_t *record; /* the current record, padded with zeros */
};

/* Read @bytes bytes at @offset of the file to @to. Returns 0, -EINVAL (past the end), -EIO, ... */
int perfdata_pread(const struct perfdata_file *f, void *to, uint64_t offset, uint64_t bytes);

/* Read what is before and after the records. Returns an error as perfdata_open(). */
int perfdata_header(struct perfdata_file *f, struct dusk_error *err);

/*
 * Decode the record at @h. All of its @h->size bytes must be there, and a 0 byte behind them.
 * Returns 0, -EBADMSG (invalid), -ENOENT (a sample of an event that the file does not list), or -EOPNOTSUPP (what
 * follows cannot be read).
 */
int perfdata_decode(const struct perfdata_file *f, const struct perf_event_header *h, struct perfdata_record *ret);

/* Check whether this reader does not know the type of a record. */
bool perfdata_is_unknown(uint32_t type);

/* Return how many bytes of data that are no record follow the record @h. */
uint64_t perfdata_payload(const struct perf_event_header *h);
