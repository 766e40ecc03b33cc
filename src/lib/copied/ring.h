/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The ring buffer into which the kernel writes the records of a perf event (linux/perf_event.h, perf_event_mmap_page). */
#pragma once
#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

struct ring {
	struct perf_event_mmap_page *head;
	const uint8_t *data;
	size_t bytes;	  /* of the data, a power of two */
	uint64_t *record; /* a copy of the current one, aligned, and 0 behind it */
};

/*
 * Map the ring of event @fd, @bytes large, a power of two of at least a page. End it with ring_unmap().
 * Returns 0; -EPERM: the user may not lock so much memory; -ENOMEM; others of mmap(2).
 */
int ring_map(struct ring *r, int fd, size_t bytes);

/* A ring that was never mapped, all-zero, is allowed. */
void ring_unmap(struct ring *r);

/* Return how many bytes the kernel can still write. */
size_t ring_room(const struct ring *r);

/*
 * Call @fn for each record that is in the ring now, in its order, until it returns a value other than 0. The record is
 * a copy, with a 0 byte behind it, and valid until @fn returns; its place in the ring is free then.
 * Returns that value, 0, or -EPROTO: what is in the ring is no record, and all of it was dropped.
 */
typedef int (*ring_fn)(void *ctx, const struct perf_event_header *h);
int ring_take(struct ring *r, ring_fn fn, void *ctx);
