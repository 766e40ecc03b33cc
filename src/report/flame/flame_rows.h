/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Merge the samples of a flame graph by thread and bucket of time.
 *
 * A page with each sample would be too large, and microseconds cannot be seen in a strip of a thousand pixels. So time
 * is divided into buckets of 1, 2 or 5 times a power of ten, and a row holds all samples of one source and node, in one
 * thread, in one bucket. Buckets are the shortest of which there are at most BUCKETS_MAX, and longer if there are more
 * than ROWS_MAX rows, as long as at least BUCKETS_MIN remain. An off-CPU interval is spread over its buckets.
 *
 * Sums over windows of a recording that says when it began are in buckets that begin at multiples of their length by
 * the clock, as the windows of several recordings were added up so (dusk_merge_new()).
 */
#pragma once
#include <dusk/dusk.h>
#include "base/keys.h"
#include "base/vec.h"

#define BUCKETS_MAX 1000
#define BUCKETS_MIN 100
#define ROWS_MAX 1000000

struct flame_row {
	enum dusk_source source;
	uint32_t node; /* rank in the graph */
	uint32_t thread, bucket;
	uint32_t samples;    /* an off-CPU interval counts in its last bucket */
	uint64_t weight_ns;  /* the time they stand for; of occurrences of events, their number */
	uint64_t longest_ns; /* of the off-CPU intervals that are counted here; of a sum, its mean */
};

struct flame_rows {
	uint64_t bucket_ns, early_ns; /* early: so long before the recording the first one begins */
	uint32_t nr_buckets;
	struct vec(struct flame_row) v; /* by source, thread, bucket, node */
	struct keys known;		/* while they are made: of each row, in the order of their numbers */
	uint64_t nr_added;
};

/*
 * Make the rows of @p. @rank: the rank of the node of each sample. Free @ret with flame_rows_done() in any case.
 * Returns 0 or -ENOMEM.
 */
int flame_rows_init(struct flame_rows *ret, const struct dusk_profile *p, const uint32_t *rank);
void flame_rows_done(struct flame_rows *r);
