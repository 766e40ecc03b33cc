/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Between the parts of the reader of perf.data: perfdata.c, perfdata_header.c, perfdata_record.c. */
#pragma once
#include <linux/perf_event.h>

#include "base/map.h"
#include "base/strings.h"
#include "base/vec.h"
#include "lib/profile/perfdata.h"

#define PERFDATA_RECORD_BYTES (1 << 16) /* no record has as many */

/* Where a record is, and when it was. */
struct perfdata_place {
	uint64_t time_ns, offset;
};

struct perfdata_file {
	struct perfdata d; /* what others see: the first member */
	int fd;
	const char *path;
	uint64_t bytes;		 /* of the file */
	uint64_t data, data_end; /* the records */
	struct vec(struct perfdata_event) events;
	struct vec(struct perfdata_build_id) build_ids;
	bool timed;	/* there was a sample with a time */
	struct map ids; /* the number that a record has -> index of its event */
	struct strings strings;
	int id_from_start, id_from_end; /* which word of a sample, and of a trailer, that number is; -1: none */
	struct vec(struct perfdata_place) places;
	uint64_t *record; /* the one that is told, and zeros */
};

/* @bytes bytes at @offset of the file, to @to: 0; -EINVAL: there are not so many; -EIO, ... */
int perfdata_pread(const struct perfdata_file *f, void *to, uint64_t offset, uint64_t bytes);

/* What stands before the records, and behind them. As perfdata_open(). */
int perfdata_header(struct perfdata_file *f, struct dusk_error *err);

/*
 * What does the record at @h say, of which all @h->size bytes are there, and a 0 byte behind them? 0, or -EBADMSG: it
 * makes no sense; -ENOENT: it is a sample of no event that the file names; -EOPNOTSUPP: what follows cannot be read.
 */
int perfdata_decode(const struct perfdata_file *f, const struct perf_event_header *h, struct perfdata_record *ret);

/* Is it of a kind that this reader does not know? */
bool perfdata_is_unknown(uint32_t type);

/* Bytes that follow a record without being one. */
uint64_t perfdata_payload(const struct perf_event_header *h);
