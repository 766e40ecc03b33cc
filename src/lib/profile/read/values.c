/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The columns of a row, from a table or from a block, checked. See reader.h. */
#include "lib/profile/read/reader.h"

/* Of a block, columns that it lacks are NULL, as those that hold nothing but that may be numbers or texts. */
static int type_of(const struct reader *r, int column)
{
	const struct pack_column *c = r->block ? &r->block->column[column] : NULL;

	if (!c)
		return sqlite3_column_type(r->stmt, column);
	if ((uint32_t)column >= r->block->nr || pack_is_null(c, r->row))
		return SQLITE_NULL;
	if (!pack_is_text(c))
		return SQLITE_INTEGER;
	return *pack_text_at(c, r->row) ? SQLITE_TEXT : SQLITE_NULL;
}

uint64_t reader_number_or(struct reader *r, int column, uint64_t max, uint64_t fallback)
{
	int type = type_of(r, column);
	uint64_t value = type == SQLITE_NULL ? fallback
			 : r->block	     ? r->block->column[column].numbers.v[r->row]
					     : (uint64_t)sqlite3_column_int64(r->stmt, column);

	if ((type != SQLITE_INTEGER && type != SQLITE_NULL) || value > max) {
		r->damaged = true;
		return 0;
	}
	return value;
}

uint64_t reader_number(struct reader *r, int column, uint64_t max)
{
	if (type_of(r, column) == SQLITE_NULL)
		r->damaged = true;
	return reader_number_or(r, column, max, 0);
}

const char *reader_text_or(struct reader *r, int column, const char *fallback)
{
	int type = type_of(r, column);
	const char *text = NULL;

	if (type == SQLITE_NULL && fallback)
		return fallback;
	if (type == SQLITE_TEXT)
		text = r->block ? pack_text_at(&r->block->column[column], r->row)
				: (const char *)sqlite3_column_text(r->stmt, column);
	if (text)
		text = strings_intern(r->strings, text);
	if (!text)
		r->damaged = true;
	return text ? text : "";
}
