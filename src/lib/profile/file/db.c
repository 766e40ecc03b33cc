/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* SQLite helpers: result codes as negative errnos, messages in a dusk_error. */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/name.h"
#include "lib/profile/file/db.h"

int db_errno(sqlite3 *db, int rc)
{
	int os = db ? sqlite3_system_errno(db) : 0;

	/* sqlite3_system_errno() is not set by errors in a commit. */
	if (db && !os)
		sqlite3_file_control(db, NULL, SQLITE_FCNTL_LAST_ERRNO, &os);
	switch (rc & 0xff) {
	case SQLITE_FULL: return -ENOSPC;
	case SQLITE_NOMEM: return -ENOMEM;
	case SQLITE_BUSY:
	case SQLITE_LOCKED: return -EBUSY;
	case SQLITE_PERM:
	case SQLITE_AUTH:
	case SQLITE_READONLY: return -EACCES;
	case SQLITE_CANTOPEN: return os ? -os : -EACCES;
	case SQLITE_IOERR: return os ? -os : -EIO;
	case SQLITE_TOOBIG: return -EFBIG;
	default: return -EINVAL;
	}
}

int db_error(sqlite3 *db, int rc, struct dusk_error *err, const char *doing, const char *path)
{
	int code = db_errno(db, rc);
	bool by_errno = code == -ENOSPC || (rc & 0xff) == SQLITE_CANTOPEN || (rc & 0xff) == SQLITE_IOERR;
	const char *why = by_errno || !db ? strerror(-code) : sqlite3_errmsg(db);

	return error_set(err, code, "%s %s: %s", doing, path, why);
}

int db_exec(sqlite3 *db, const char *sql)
{
	return sqlite3_exec(db, sql, NULL, NULL, NULL);
}

int db_prepare(sqlite3_stmt **ret, sqlite3 *db, const char *sql)
{
	return sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT, ret, NULL);
}

int db_run(sqlite3_stmt *stmt)
{
	sqlite3_step(stmt);
	return sqlite3_reset(stmt);
}

void db_distrust(sqlite3 *db)
{
	sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0, NULL);
}

int db_leave_wal(sqlite3 *db)
{
	_cleanup_(db_finalizep) sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(db, "pragma journal_mode=memory", -1, &stmt, NULL);

	if (rc)
		return rc;
	rc = sqlite3_step(stmt);
	if (rc != SQLITE_ROW)
		return rc;
	return strcmp((const char *)sqlite3_column_text(stmt, 0) ?: "", "memory") ? SQLITE_BUSY : SQLITE_OK;
}

bool db_has_column(sqlite3 *db, const char *table, const char *column)
{
	return !sqlite3_table_column_metadata(db, NULL, table, column, NULL, NULL, NULL, NULL, NULL);
}

int db_integer(sqlite3 *db, const char *sql, sqlite3_int64 *ret)
{
	_cleanup_(db_finalizep) sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(db, sql, -1, &stmt, NULL);

	if (rc)
		return rc;
	rc = sqlite3_step(stmt);
	if (rc == SQLITE_ROW) {
		*ret = sqlite3_column_int64(stmt, 0);
		return SQLITE_OK;
	}
	return rc == SQLITE_DONE ? SQLITE_CORRUPT : rc;
}

bool db_bind_name(sqlite3_stmt *stmt, int column, const char *text)
{
	char room[NAME_LIMIT_BYTES + 1];
	const char *kept = name_limit(room, text);

	sqlite3_bind_text(stmt, column, kept, -1, kept == text ? SQLITE_STATIC : SQLITE_TRANSIENT);
	return kept != text;
}
