// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The codec of a window's sums: columns of differences, as varints, packed where that gains. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include "base/cleanup.h"
#include "lib/profile/window_block.h"

enum { VERSION = 1, PLAIN = 0, ZSTD = 1, LEVEL = 3, VARINT_MAX = 10, HEAD_MAX = 5 * VARINT_MAX };

static int compare(const void *a, const void *b)
{
	const uint64_t *x = ((const struct block_row *)a)->column, *y = ((const struct block_row *)b)->column;

	for (int i = 0; i < BLOCK_KEYS; i++) {
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	}
	return 0;
}

static void add(struct block_row *sum, const struct block_row *row)
{
	for (int i = BLOCK_KEYS; i < BLOCK_COLUMNS; i++) {
		if (__builtin_add_overflow(sum->column[i], row->column[i], &sum->column[i]))
			sum->column[i] = UINT64_MAX;
	}
}

size_t block_sum(struct block_row *rows, size_t nr)
{
	size_t kept = 0;

	if (nr)
		qsort(rows, nr, sizeof(*rows), compare);
	for (size_t i = 0; i < nr; i++) {
		if (kept && !compare(&rows[kept - 1], &rows[i]))
			add(&rows[kept - 1], &rows[i]);
		else
			rows[kept++] = rows[i];
	}
	return kept;
}

static uint8_t *put(uint8_t *to, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*to++ = value | 0x80;
	*to++ = value;
	return to;
}

static bool get(const uint8_t **from, const uint8_t *end, uint64_t *ret)
{
	uint64_t value = 0;

	for (int shift = 0; shift < 64 && *from < end; shift += 7) {
		uint8_t byte = *(*from)++;

		if (shift == 63 && byte > 1)
			return false;
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80)) {
			*ret = value;
			return true;
		}
	}
	return false;
}

int block_encode(const struct block_row *rows, size_t nr, uint8_t **ret, size_t *ret_len)
{
	_cleanup_(freep) uint8_t *plain = NULL, *block = NULL;
	uint8_t *end, *head;
	size_t plain_len, packed_len;
	bool gains;

	if (nr > BLOCK_ROWS_MAX)
		return -E2BIG;
	end = plain = malloc(nr * BLOCK_COLUMNS * VARINT_MAX + 1);
	if (!plain)
		return -ENOMEM;
	for (int column = 0; column < BLOCK_COLUMNS; column++) {
		uint64_t last = 0;

		for (size_t i = 0; i < nr; i++) {
			uint64_t delta = rows[i].column[column] - last;

			end = put(end, delta << 1 ^ -(delta >> 63));
			last = rows[i].column[column];
		}
	}
	plain_len = end - plain;
	block = malloc(HEAD_MAX + ZSTD_compressBound(plain_len));
	if (!block)
		return -ENOMEM;
	packed_len = ZSTD_compress(block + HEAD_MAX, ZSTD_compressBound(plain_len), plain, plain_len, LEVEL);
	gains = !ZSTD_isError(packed_len) && packed_len < plain_len && nr / BLOCK_ROWS_A_BYTE <= packed_len;
	head = put(put(put(put(put(block, VERSION), gains ? ZSTD : PLAIN), nr), BLOCK_COLUMNS), plain_len);
	if (gains)
		memmove(head, block + HEAD_MAX, packed_len);
	else
		memcpy(head, plain, plain_len);
	*ret_len = head - block + (gains ? packed_len : plain_len);
	*ret = steal(block);
	return 0;
}

/* The columns' bytes are all used, and the rows are in order: then the block is what block_encode() makes. */
static int read_columns(const uint8_t *at, const uint8_t *end, struct block_row *rows, size_t nr)
{
	for (int column = 0; column < BLOCK_COLUMNS; column++) {
		uint64_t value = 0, delta;

		for (size_t i = 0; i < nr; i++) {
			if (!get(&at, end, &delta))
				return -EBADMSG;
			rows[i].column[column] = value += delta >> 1 ^ -(delta & 1);
		}
	}
	for (size_t i = 1; i < nr; i++) {
		if (compare(&rows[i - 1], &rows[i]) >= 0)
			return -EBADMSG;
	}
	return at == end ? 0 : -EBADMSG;
}

int block_decode(const uint8_t *data, size_t len, struct block_row **ret, size_t *ret_nr)
{
	_cleanup_(freep) struct block_row *rows = NULL;
	_cleanup_(freep) uint8_t *unpacked = NULL;
	const uint8_t *end = data + len;
	uint64_t head[5];
	int err;

	for (int i = 0; i < 5; i++) {
		if (!get(&data, end, &head[i]))
			return -EBADMSG;
		if (!i && head[0] != VERSION)
			return -ENOTSUP;
	}
	if (head[1] > ZSTD || head[3] != BLOCK_COLUMNS)
		return -ENOTSUP;
	if (head[2] > BLOCK_ROWS_MAX || head[4] < head[2] * BLOCK_COLUMNS ||
	    head[4] > head[2] * BLOCK_COLUMNS * VARINT_MAX || head[2] / BLOCK_ROWS_A_BYTE > (uint64_t)(end - data))
		return -EBADMSG;
	if (head[1] == ZSTD) {
		if (ZSTD_getFrameContentSize(data, end - data) != head[4])
			return -EBADMSG;
		unpacked = malloc(head[4] + 1);
		if (!unpacked)
			return -ENOMEM;
		if (ZSTD_decompress(unpacked, head[4], data, end - data) != head[4])
			return -EBADMSG;
		data = unpacked;
		end = unpacked + head[4];
	} else if ((uint64_t)(end - data) != head[4]) {
		return -EBADMSG;
	}
	rows = calloc(head[2] + 1, sizeof(*rows));
	if (!rows)
		return -ENOMEM;
	err = read_columns(data, end, rows, head[2]);
	if (err)
		return err;
	*ret_nr = head[2];
	*ret = steal(rows);
	return 0;
}
