/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Records of several rings, in the order of time.
 *
 * Each CPU has rings of its own, in which records are about in the order of time. A process runs on several CPUs, and a
 * sample of it can only be understood after all that was mapped before it. So records wait here until no earlier one
 * can come any more.
 */
#pragma once
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

struct queue_item {
	uint64_t time_ns, number;
	uint32_t kind; /* a number of the caller */
	struct perf_event_header *record;
};

/* All-zero is an empty queue. */
struct queue {
	struct vec(struct queue_item) items;
	size_t bytes;	  /* of the records that wait */
	uint64_t number;  /* of records so far */
	size_t sorted;	  /* so many of the first items are in order */
	uint64_t past_ns; /* all up to here have been given out */
	uint64_t late;	  /* records that came after that, though they are older */
};

/* Add a copy of @h. Returns 0 or -ENOMEM. */
int queue_add(struct queue *q, uint32_t kind, uint64_t time_ns, const struct perf_event_header *h);

/*
 * Call @fn for each record up to @until_ns, inclusive, in the order of time, and of arrival where that is equal, until
 * it returns a value other than 0. A record has a 0 byte behind it, and is freed then. Returns that value, 0, or -ENOMEM.
 */
typedef int (*queue_fn)(void *ctx, uint32_t kind, const struct perf_event_header *h);
int queue_drain(struct queue *q, uint64_t until_ns, queue_fn fn, void *ctx);

/* Is there a record that waits, or follows the one that is given out, for which @is returns true? */
bool queue_any(const struct queue *q, bool (*is)(void *ctx, uint32_t kind, const struct perf_event_header *h),
	       void *ctx);
void queue_done(struct queue *q);
