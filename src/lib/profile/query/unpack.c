/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Packed rows as tables. See unpack.h. */
#include <errno.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/vec.h"
#include "lib/error.h"
#include "lib/profile/file/db.h"
#include "lib/profile/sums/packed.h"
#include "lib/profile/query/unpack.h"

#define CREATE_VIEW "CREATE VIEW " /* as SQLite writes it, whatever was given */

struct text {
	struct vec(char) v;
};

static void text_done(struct text *t)
{
	vec_done(&t->v);
}

static int append(struct text *t, const char *text)
{
	return vec_append(&t->v, text, strlen(text)) ? SQLITE_NOMEM : SQLITE_OK;
}

/* Make a temporary table @name with the columns of the file's; *@insert is a statement for its rows. */
static int make_table(sqlite3 *db, const char *name, sqlite3_stmt **insert)
{
	_cleanup_(db_finalizep) sqlite3_stmt *columns = NULL;
	_cleanup_(text_done) struct text table = {.v = {0}}, values = {.v = {0}};
	char word[160];
	int rc = sqlite3_prepare_v2(db, "select name from pragma_table_info(?,'main')", -1, &columns, NULL);

	rc = rc ?: sqlite3_bind_text(columns, 1, name, -1, SQLITE_STATIC);
	sqlite3_snprintf(sizeof(word), word, "create temp table \"%w\"(", name);
	rc = rc ?: append(&table, word);
	sqlite3_snprintf(sizeof(word), word, "insert into temp.\"%w\" values(", name);
	rc = rc ?: append(&values, word);
	while (!rc && sqlite3_step(columns) == SQLITE_ROW) {
		bool first = table.v.v[table.v.nr - 1] == '(';

		sqlite3_snprintf(sizeof(word), word, first ? "\"%w\" integer primary key" : ",\"%w\"",
				 sqlite3_column_text(columns, 0));
		rc = append(&table, word) ?: append(&values, first ? "?" : ",?");
	}
	rc = rc ?: vec_append(&table.v, ")", 2) || vec_append(&values.v, ")", 2) ? SQLITE_NOMEM : SQLITE_OK;
	rc = rc ?: db_exec(db, table.v.v);
	return rc ?: db_prepare(insert, db, values.v.v);
}

static void bind(sqlite3_stmt *stmt, int column, const struct pack_column *c, uint32_t row)
{
	if (pack_is_null(c, row) || (pack_is_text(c) && !*pack_text_at(c, row)))
		sqlite3_bind_null(stmt, column);
	else if (pack_is_text(c))
		sqlite3_bind_text(stmt, column, pack_text_at(c, row), -1, SQLITE_STATIC);
	else
		sqlite3_bind_int64(stmt, column, c->numbers.v[row]);
}

/* Returns an SQLite code; SQLITE_CORRUPT: the block is none of this table. */
static int add_block(sqlite3_stmt *insert, const void *data, size_t len)
{
	_cleanup_(pack_done) struct pack c = {.nr = 0};
	int err = pack_decode(data, len, &c), rc = SQLITE_OK;

	if (err || c.nr > (uint32_t)sqlite3_bind_parameter_count(insert))
		return err == -ENOMEM ? SQLITE_NOMEM : SQLITE_CORRUPT;
	for (uint32_t row = 0; row < c.rows && !rc; row++) {
		for (uint32_t i = 0; i < c.nr; i++)
			bind(insert, i + 1, &c.column[i], row);
		rc = db_run(insert);
	}
	return rc;
}

static int unpack(sqlite3 *db, const char *name)
{
	_cleanup_(db_finalizep) sqlite3_stmt *insert = NULL, *blocks = NULL;
	char sql[160];
	int rc = make_table(db, name, &insert);

	rc = rc ?: packed_blocks(&blocks, db, name);
	if (rc)
		return rc;
	while ((rc = sqlite3_step(blocks)) == SQLITE_ROW) {
		rc = add_block(insert, sqlite3_column_blob(blocks, 0), sqlite3_column_bytes(blocks, 0));
		if (rc)
			return rc;
	}
	sqlite3_snprintf(sizeof(sql), sql, "insert into temp.\"%w\" select * from main.\"%w\"", name, name);
	return rc == SQLITE_DONE ? db_exec(db, sql) : rc;
}

/* A view of the file sees the file's tables only; the same view as a temporary one sees all. */
static int remake_view(sqlite3 *db, const char *sql)
{
	_cleanup_(db_finalizep) sqlite3_stmt *stmt = NULL;
	_cleanup_(freep) char *temporary = NULL;
	int rc;

	if (!sql || strncmp(sql, CREATE_VIEW, strlen(CREATE_VIEW)))
		return SQLITE_OK;
	if (asprintf(&temporary, "CREATE TEMP VIEW %s", sql + strlen(CREATE_VIEW)) < 0)
		temporary = NULL;
	/* The first statement of the text alone, as the file may come from anybody. */
	rc = temporary ? sqlite3_prepare_v2(db, temporary, -1, &stmt, NULL) : SQLITE_NOMEM;
	return rc ?: db_run(stmt);
}

/* Call @each with each text that @sql selects. */
static int for_each(sqlite3 *db, const char *sql, int (*each)(sqlite3 *db, const char *text))
{
	_cleanup_(db_finalizep) sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(db, sql, -1, &stmt, NULL);

	if (rc)
		return rc;
	while ((rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		rc = each (db, (const char *)sqlite3_column_text(stmt, 0));
		if (rc)
			return rc;
	}
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

int query_unpack(const struct profile_file *f)
{
	int rc;

	if (!packed_is_there(f->db))
		return 0;
	rc = db_exec(f->db, "pragma temp_store=memory");
	rc = rc
		     ?: for_each(f->db,
				 "select distinct p.name from packed p join main.sqlite_schema s on s.name=p.name "
				 "and s.type='table' and s.rootpage>0",
				 unpack);
	rc = rc ?: for_each(f->db, "select sql from main.sqlite_schema where type='view'", remake_view);
	if (rc == SQLITE_CORRUPT)
		return error_set(f->err, -EINVAL, "%s is damaged: a wrong value in table packed", f->path);
	return rc ? profile_file_failed(f, rc) : 0;
}
