/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The rows of one window of a store, encoded as a block of bytes.
 *
 * A block is a head of five varints (version, packing, rows, columns, bytes of the columns) and then the columns, packed
 * with zstd where that makes them smaller. The rows are sorted by their key, and each column is written as a whole, as
 * the zigzag varints of the differences from row to row: equal neighbours cost one byte that packs well.
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

/* What a row is about; ids are those of the store's dictionaries. The last column is the weight, and not of the key. */
enum block_column {
	BLOCK_KIND,
	BLOCK_THREAD,
	BLOCK_STACK,
	BLOCK_LABELS, /* an id of a set of labels; 0 is none */
	BLOCK_WEIGHT,
	BLOCK_COLUMNS,
};

struct block_row {
	uint64_t column[BLOCK_COLUMNS];
};

/* More rows than this in a window are an error of the caller, and in a block a sign of damage. */
#define BLOCK_ROWS_MAX (1u << 22)

/*
 * Sort @nr @rows by their key, add up the weights of rows with the same key, and encode them. Weights saturate.
 * Returns 0, and in @ret and @ret_len bytes that the caller frees; -E2BIG for more than BLOCK_ROWS_MAX rows; -ENOMEM.
 */
int block_encode(struct block_row *rows, size_t nr, uint8_t **ret, size_t *ret_len);

/*
 * Decode the @len bytes at @data.
 * Returns 0, and in @ret and @ret_nr rows sorted by their key, which the caller frees; -EBADMSG if the block is damaged,
 * -ENOTSUP if its version or packing is unknown; -ENOMEM.
 */
int block_decode(const uint8_t *data, size_t len, struct block_row **ret, size_t *ret_nr);
