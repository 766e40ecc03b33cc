// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The sums of a window, packed. See window_block.h. */
#include <errno.h>
#include <stdlib.h>
#include "base/cleanup.h"
#include "lib/profile/sums/pack.h"
#include "lib/profile/sums/window_block.h"

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

int block_encode(const struct block_row *rows, size_t nr, uint8_t **ret, size_t *ret_len)
{
	_cleanup_(pack_done) struct pack c = {.nr = BLOCK_COLUMNS};

	if (nr > BLOCK_ROWS_MAX)
		return -E2BIG;
	for (size_t i = 0; i < nr; i++) {
		for (int column = 0; column < BLOCK_COLUMNS; column++)
			if (pack_number(&c, column, rows[i].column[column]))
				return -ENOMEM;
		pack_end_row(&c);
	}
	return pack_encode(&c, ret, ret_len);
}

void block_row(struct block_row *ret, const struct pack *block, uint32_t row)
{
	for (int column = 0; column < BLOCK_COLUMNS; column++)
		ret->column[column] = block->column[column].numbers.v[row];
}

/* Does row @i have a larger key than the one before? Then the block is what block_encode() makes. */
static bool ascends(const struct pack *c, uint32_t i)
{
	for (int column = 0; column < BLOCK_KEYS; column++) {
		const uint64_t *v = c->column[column].numbers.v;

		if (v[i - 1] != v[i])
			return v[i - 1] < v[i];
	}
	return false;
}

int block_decode(const uint8_t *data, size_t len, struct pack *ret)
{
	int err = pack_decode(data, len, ret);

	if (!err && ret->nr != BLOCK_COLUMNS)
		err = -ENOTSUP;
	for (uint32_t i = 1; !err && i < ret->rows; i++)
		err = ascends(ret, i) ? 0 : -EBADMSG;
	return err;
}
