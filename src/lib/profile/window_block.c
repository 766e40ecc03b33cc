// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The sums of a window, packed. See window_block.h. */
#include <errno.h>
#include <stdlib.h>
#include "base/cleanup.h"
#include "lib/profile/pack.h"
#include "lib/profile/window_block.h"

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

/* Rows are in order: then the block is what block_encode() makes. */
static int take_rows(const struct pack *c, struct block_row *rows)
{
	for (uint32_t i = 0; i < c->rows; i++) {
		for (int column = 0; column < BLOCK_COLUMNS; column++)
			rows[i].column[column] = c->column[column].numbers.v[i];
		if (i && compare(&rows[i - 1], &rows[i]) >= 0)
			return -EBADMSG;
	}
	return 0;
}

int block_decode(const uint8_t *data, size_t len, struct block_row **ret, size_t *ret_nr)
{
	_cleanup_(pack_done) struct pack c = {.nr = 0};
	_cleanup_(freep) struct block_row *rows = NULL;
	int err = pack_decode(data, len, &c);

	if (err)
		return err;
	if (c.nr != BLOCK_COLUMNS)
		return -ENOTSUP;
	rows = calloc(c.rows + 1, sizeof(*rows));
	if (!rows)
		return -ENOMEM;
	err = take_rows(&c, rows);
	if (err)
		return err;
	*ret_nr = c.rows;
	*ret = steal(rows);
	return 0;
}
