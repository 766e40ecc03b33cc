/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* SQLite helpers: they map its result codes to negative errnos and put its messages into a dusk_error. */
#pragma once
#include <sqlite3.h>

#include "lib/error.h"

/* Return the negative errno for the last error of @db, which had the result code @rc. */
int db_errno(sqlite3 *db, int rc);

/* Fill @err with "@doing @path: why" for the last error of @db, which had the result code @rc. Returns db_errno(). */
int db_error(sqlite3 *db, int rc, struct dusk_error *err, const char *doing, const char *path);

/* Run the statements in @sql, one after the other. Returns an SQLite code. */
int db_exec(sqlite3 *db, const char *sql);

/* Prepare a statement that is run often. Returns an SQLite code. */
int db_prepare(sqlite3_stmt **ret, sqlite3 *db, const char *sql);

/* Run @stmt, which has no result rows, and reset it for its next run. Returns an SQLite code; 0 is success. */
int db_run(sqlite3_stmt *stmt);

/* Run @sql and set *@ret to its one integer. Returns an SQLite code. */
int db_integer(sqlite3 *db, const char *sql, sqlite3_int64 *ret);

/* Harden @db, which may come from an untrusted source: triggers and unsafe functions in its schema do not run. */
void db_distrust(sqlite3 *db);

/*
 * Write the log of a database in WAL mode back and leave that mode, so that the database is one file.
 * Returns an SQLite code.
 */
int db_leave_wal(sqlite3 *db);

bool db_has_column(sqlite3 *db, const char *table, const char *column);

static inline void db_closep(sqlite3 **db)
{
	sqlite3_close(*db);
}

static inline void db_finalizep(sqlite3_stmt **stmt)
{
	sqlite3_finalize(*stmt);
}

/*
 * Bind @text, which the caller keeps until the statement has run; what is longer than a name may be (base/name.h) is cut. Returns
 * whether it was.
 */
bool db_bind_name(sqlite3_stmt *stmt, int column, const char *text);
