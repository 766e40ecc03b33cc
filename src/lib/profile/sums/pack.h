/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Rows of a table as a block of bytes, column by column.
 *
 * A block is a head of five varints (version, packing, rows, columns, bytes of the columns), one for each column that says
 * how it is encoded, and then the columns, packed with zstd where that makes them smaller. A column of numbers is a varint
 * for each, or for each difference to the row before, whichever is shorter; one of texts has a 0 byte behind each.
 * doc/format.md describes it for other readers.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/vec.h"

#define PACK_MAX 16
#define PACK_ROWS_MAX (1u << 16) /* more are an error of the caller, and in a block a sign of damage */

/* So much a byte at most, so that a small file cannot ask for much memory. */
#define PACK_ROWS_A_BYTE 16
#define PACK_BYTES_A_BYTE 2048

struct pack_column {
	struct vec(uint64_t) numbers; /* of texts: where in @texts each begins */
	struct vec(uint8_t) null;     /* whether it is NULL; empty: none is */
	struct vec(char) texts;	      /* each with a 0 byte behind it; empty: these are numbers */
};

/* All-zero, but for @nr, has no rows. */
struct pack {
	uint32_t nr; /* of columns */
	uint32_t rows;
	struct pack_column column[PACK_MAX];
};

/*
 * Add the value of @column of the next row; pack_end_row() is next when each column has one. A column is of numbers and
 * NULL, or of texts, where "" is the same as NULL.
 * They return 0 or -ENOMEM.
 */
int pack_number(struct pack *c, uint32_t column, uint64_t value);
int pack_text(struct pack *c, uint32_t column, const char *text);
int pack_null(struct pack *c, uint32_t column);
void pack_end_row(struct pack *c);

/* Remove all rows, but keep the memory. */
void pack_clear(struct pack *c);
void pack_done(struct pack *c);

/* Its value in @row, counted from 0. */
static inline bool pack_is_null(const struct pack_column *c, uint32_t row)
{
	return c->null.nr && c->null.v[row];
}

static inline bool pack_is_text(const struct pack_column *c)
{
	return c->texts.nr;
}

static inline const char *pack_text_at(const struct pack_column *c, uint32_t row)
{
	return c->texts.v + c->numbers.v[row];
}

/*
 * Encode the rows.
 * Returns 0, and in @ret and @ret_len bytes that the caller frees; -E2BIG for more than PACK_ROWS_MAX rows; -EINVAL if a
 * column has both numbers and texts; -ENOMEM.
 */
int pack_encode(const struct pack *c, uint8_t **ret, size_t *ret_len);

/*
 * Decode the @len bytes at @data into @ret, which has nothing; free it with pack_done(), in any case.
 * Returns 0; -EBADMSG if the block is damaged, -ENOTSUP if its version, its packing or the kind of a column is unknown; -ENOMEM.
 */
int pack_decode(const uint8_t *data, size_t len, struct pack *ret);
