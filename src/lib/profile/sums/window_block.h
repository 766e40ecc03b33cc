/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The sums of one window of time, encoded as a block of columns (pack.h). The rows are sorted by their key.
 */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include "lib/profile/sums/pack.h"

/* The key, and then what is added up. Threads, nodes and outcomes are ids of the profile's tables. */
enum block_column {
	BLOCK_KIND, /* enum block_kind */
	BLOCK_THREAD,
	BLOCK_NODE,
	BLOCK_OUTCOME,
	BLOCK_KEYS,
	BLOCK_COUNT = BLOCK_KEYS, /* samples or off-CPU intervals */
	BLOCK_VALUE,		  /* microseconds; of samples for the period: 0 */
	BLOCK_RUNNABLE,		  /* microseconds of the value */
	BLOCK_COLUMNS,
};

enum block_kind {
	BLOCK_PERIOD,  /* CPU samples that stand for the timer's period */
	BLOCK_WEIGHED, /* CPU samples that stand for a time of their own */
	BLOCK_OFF_CPU, /* off-CPU intervals, plus the state */
};

struct block_row {
	uint64_t column[BLOCK_COLUMNS];
};

#define BLOCK_ROWS_MAX PACK_ROWS_MAX

/* Sort @nr @rows by their key, and add up those with the same key. Sums saturate. Returns how many rows are left. */
size_t block_sum(struct block_row *rows, size_t nr);

/*
 * Encode @nr @rows, which are as block_sum() leaves them.
 * Returns 0, and in @ret and @ret_len bytes that the caller frees; -E2BIG for more than BLOCK_ROWS_MAX rows; -ENOMEM.
 */
int block_encode(const struct block_row *rows, size_t nr, uint8_t **ret, size_t *ret_len);

/*
 * Decode the @len bytes at @data into @ret, which has nothing; free it with pack_done(), in any case. Its rows, for
 * block_row(), are in the order of their keys.
 * Returns 0; -EBADMSG if the block is damaged, -ENOTSUP if its version or packing is unknown; -ENOMEM.
 */
int block_decode(const uint8_t *data, size_t len, struct pack *ret);

/* Set @ret to that row of a block from block_decode(). */
void block_row(struct block_row *ret, const struct pack *block, uint32_t row);
