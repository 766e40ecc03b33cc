/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Decode the records of perf events, of a file or of the kernel's rings: both have the same form. The events that they
 * are of say which fields a record has.
 */
#pragma once
#include <linux/perf_event.h>

#include "base/map.h"
#include "base/vec.h"
#include "lib/perfdata/perfdata.h"

#define PERFDATA_RECORD_BYTES (1 << 16) /* larger than any record */

/* The events of records. */
struct perfdata_layout {
	struct vec(struct perfdata_event) events;
	struct map ids;			/* id in a record -> index of its event */
	int id_from_start, id_from_end; /* which word of a sample, and of a trailer, is the id; -1: none */
};

/*
 * Decode the record at @h. All of its @h->size bytes must be there, and a 0 byte behind them.
 * Returns 0, -EBADMSG (invalid), or -ENOENT (a sample of an event that @l does not list).
 */
int perfdata_decode(const struct perfdata_layout *l, const struct perf_event_header *h, struct perfdata_record *ret);

/* Check whether this reader does not know the type of a record. */
bool perfdata_is_unknown(uint32_t type);

/* Return how many bytes of data that are no record follow the record @h. */
uint64_t perfdata_payload(const struct perf_event_header *h);
