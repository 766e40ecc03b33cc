/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Rows of tables as blocks. See packed.h. */
#include "lib/profile/sums/packed.h"
#include <errno.h>
#include <stdio.h>
#include "base/cleanup.h"
#include "lib/profile/file/db.h"

static bool is_table(sqlite3 *db, const char *name)
{
	return db_has_column(db, name, "rowid");
}

bool packed_is_there(sqlite3 *db)
{
	return is_table(db, "packed");
}

static int code(int err)
{
	return !err ? SQLITE_OK : err == -ENOMEM ? SQLITE_NOMEM : SQLITE_MISMATCH;
}

int packed_add(sqlite3 *db, const char *table, struct pack *c)
{
	_cleanup_(db_finalizep) sqlite3_stmt *stmt = NULL;
	_cleanup_(freep) uint8_t *block = NULL;
	size_t len;
	int rc;

	if (!c->rows)
		return SQLITE_OK;
	rc = code(pack_encode(c, &block, &len));
	rc = rc ?: db_prepare(&stmt, db, "insert into packed(name,nr,rows) values(?,?,?)");
	if (rc)
		return rc;
	sqlite3_bind_text(stmt, 1, table, -1, SQLITE_STATIC);
	sqlite3_bind_int64(stmt, 2, c->rows);
	sqlite3_bind_blob64(stmt, 3, block, len, SQLITE_STATIC);
	pack_clear(c);
	return db_run(stmt);
}

/* Add a row of @stmt. Returns an SQLite code; SQLITE_MISMATCH: it has something else than numbers, texts and NULL. */
static int add_row(struct pack *c, sqlite3_stmt *stmt)
{
	for (uint32_t i = 0; i < c->nr; i++) {
		int type = sqlite3_column_type(stmt, i), err = -EINVAL;

		if (type == SQLITE_INTEGER)
			err = pack_number(c, i, sqlite3_column_int64(stmt, i));
		else if (type == SQLITE_TEXT)
			err = pack_text(c, i, (const char *)sqlite3_column_text(stmt, i) ?: "");
		else if (type == SQLITE_NULL)
			err = pack_null(c, i);
		if (err)
			return code(err);
	}
	pack_end_row(c);
	return SQLITE_OK;
}

static bool is_full(const struct pack *c)
{
	size_t bytes = 0;

	for (uint32_t i = 0; i < c->nr; i++)
		bytes += c->column[i].texts.nr;
	return c->rows == PACKED_ROWS || bytes >= PACKED_TEXT_BYTES;
}

static int take_rows(sqlite3 *db, const char *table)
{
	_cleanup_(db_finalizep) sqlite3_stmt *stmt = NULL;
	_cleanup_(pack_done) struct pack c = {.nr = 0};
	char sql[64];
	int rc, packed = SQLITE_OK;

	snprintf(sql, sizeof(sql), "select * from %s order by rowid", table);
	rc = sqlite3_prepare_v2(db, sql, -1, &stmt, NULL);
	if (rc)
		return rc;
	c.nr = sqlite3_column_count(stmt);
	if (c.nr > PACK_MAX)
		return SQLITE_MISMATCH;
	while (!packed && (rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		packed = add_row(&c, stmt);
		if (!packed && is_full(&c))
			packed = packed_add(db, table, &c);
	}
	if (packed || rc != SQLITE_DONE)
		return packed ?: rc;
	return packed_add(db, table, &c);
}

int packed_take(sqlite3 *db, const char *table)
{
	char sql[64];
	int rc;

	if (!is_table(db, table))
		return SQLITE_OK;
	rc = take_rows(db, table);
	snprintf(sql, sizeof(sql), "delete from %s", table);
	return rc ?: db_exec(db, sql);
}

int packed_blocks(sqlite3_stmt **ret, sqlite3 *db, const char *table)
{
	int rc = sqlite3_prepare_v2(db, "select rows from packed where name=? order by id", -1, ret, NULL);

	return rc ?: sqlite3_bind_text(*ret, 1, table, -1, SQLITE_STATIC);
}

int packed_count(sqlite3 *db, const char *table, sqlite3_int64 *ret)
{
	sqlite3_int64 packed = 0;
	char sql[96];
	int rc = SQLITE_OK;

	if (packed_is_there(db)) {
		snprintf(sql, sizeof(sql), "select coalesce(sum(nr),0) from packed where name='%s'", table);
		rc = db_integer(db, sql, &packed);
	}
	snprintf(sql, sizeof(sql), "select count(*) from %s", table);
	rc = rc ?: db_integer(db, sql, ret);
	*ret += packed;
	return rc;
}
