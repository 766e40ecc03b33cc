/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* SQLite in dusk's terms: a negative errno for each of its codes, and its message in a dusk_error. */
#pragma once
#include <sqlite3.h>

#include "lib/error.h"

/* The negative errno for the last error of @db, whose code was @rc. */
int db_errno(sqlite3 *db, int rc);

/* Fill @err with "@doing @path: why" for the last error of @db, whose code was @rc. Returns db_errno(). */
int db_error(sqlite3 *db, int rc, struct dusk_error *err, const char *doing, const char *path);

/* One statement after the other. An SQLite code. */
int db_exec(sqlite3 *db, const char *sql);

/* A statement that will be used often. An SQLite code. */
int db_prepare(sqlite3_stmt **ret, sqlite3 *db, const char *sql);

/* Run @stmt, which gives no rows, and make it ready for the next time. An SQLite code; 0 is success. */
int db_run(sqlite3_stmt *stmt);

/* The one integer that @sql gives. An SQLite code. */
int db_integer(sqlite3 *db, const char *sql, sqlite3_int64 *ret);

/* For a database that may come from anywhere: nothing in its schema does more than hold data. */
void db_distrust(sqlite3 *db);

/* Write the log of a database in WAL mode back, and leave that mode: the database is one file then. An SQLite code. */
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
