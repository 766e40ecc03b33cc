/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * When, and in which thread, were the samples of a flame graph taken?
 *
 * A page that held each sample would be too large, and nobody sees a difference of microseconds in a strip of a
 * thousand pixels. So time is cut into buckets of 1, 2 or 5 times a power of ten, and a row holds all samples of a kind
 * and a node, in a thread, in a bucket. Buckets are as short as makes at most BUCKETS_MAX of them, and longer if there
 * are more than ROWS_MAX rows, down to BUCKETS_MIN buckets. An off-CPU interval from the CPU is spread over the buckets
 * in which it lasted.
 */
#pragma once
#include <dusk/dusk.h>
#include "base/vec.h"

#define BUCKETS_MAX 1000
#define BUCKETS_MIN 100
#define ROWS_MAX 1000000

struct flame_row {
	enum dusk_source source;
	uint32_t node; /* rank in the graph */
	uint32_t thread, bucket;
	uint32_t samples;   /* of an off-CPU interval: in its last bucket */
	uint64_t weight_ns; /* what they stand for */
};

struct flame_rows {
	uint64_t bucket_ns;
	uint32_t nr_buckets;
	struct vec(struct flame_row) v; /* by source, thread, bucket, node */
};

/*
 * The rows of @p; @rank has for each sample the rank of its node. 0 or -ENOMEM; @ret is to be freed with
 * flame_rows_done() in either case.
 */
int flame_rows_init(struct flame_rows *ret, const struct dusk_profile *p, const uint32_t *rank);
void flame_rows_done(struct flame_rows *r);
