/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What does a profile answer to a question in SQL?
 *
 * The file is opened read-only, and SQLite asks refuse() about each thing that a statement would do, so that not even
 * another file can be touched: ATTACH, PRAGMAs that set something and functions that load code end there.
 */
#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "db.h"
#include "profile_schema.h"

#define BUSY_MS 5000
#define MAX_TEXT_BYTES (16 << 20)

struct dusk_query {
	sqlite3 *db;
	sqlite3_stmt *stmt;
	char refused[64];	/* what of the statement at hand is not allowed, or "" */
};

static bool listed(const char *name, const char *const *list)
{
	for (; *list; list++)
		if (!strcasecmp(name, *list))
			return true;
	return false;
}

/* PRAGMAs that describe tables, and those that tell a number if they are not given one. */
static const char *const describing[] = {"table_info", "table_xinfo", "table_list", NULL};
static const char *const telling[] = {"application_id", "user_version", NULL};

static int refuse(void *ctx, int action, const char *first, const char *second, const char *database, const char *view)
{
	struct dusk_query *q = ctx;

	switch (action) {
	case SQLITE_SELECT:
	case SQLITE_READ:
	case SQLITE_RECURSIVE:
		return SQLITE_OK;
	case SQLITE_FUNCTION:
		if (strcasecmp(second, "load_extension"))
			return SQLITE_OK;
		snprintf(q->refused, sizeof(q->refused), "%s()", second);
		return SQLITE_DENY;
	case SQLITE_PRAGMA:
		if (listed(first, describing) || (!second && listed(first, telling)))
			return SQLITE_OK;
		snprintf(q->refused, sizeof(q->refused), "PRAGMA %.32s", first);
		return SQLITE_DENY;
	default:
		strcpy(q->refused, "this");
		return SQLITE_DENY;
	}
}

/* pragma_table_info and its like are tables that SQLite makes when they are first named: refuse() would see to that. */
static int declare_pragmas(sqlite3 *db)
{
	char sql[64];
	int rc = 0;

	for (const char *const *name = describing; *name && !rc; name++) {
		snprintf(sql, sizeof(sql), "select 1 from pragma_%s limit 0", *name);
		rc = db_exec(db, sql);
	}
	return rc;
}

static int open_file(struct dusk_query *q, const char *path, struct dusk_error *err)
{
	sqlite3_int64 application, version;
	struct stat st;
	int rc;

	if (stat(path, &st))
		return error_set(err, -errno, "cannot read %s: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return error_set(err, -EINVAL, "%s is not a dusk profile: it is not a file", path);
	rc = sqlite3_open_v2(path, &q->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL);
	if (rc)
		return db_error(q->db, rc, err, "cannot read", path);
	sqlite3_db_config(q->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(q->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_limit(q->db, SQLITE_LIMIT_LENGTH, MAX_TEXT_BYTES);
	sqlite3_limit(q->db, SQLITE_LIMIT_ATTACHED, 0);
	sqlite3_busy_timeout(q->db, BUSY_MS);
	rc = db_integer(q->db, "pragma application_id", &application);
	if ((rc & 0xff) == SQLITE_NOTADB || (!rc && application != PROFILE_APPLICATION_ID))
		return error_set(err, -EINVAL, "%s is not a dusk profile", path);
	rc = rc ?: db_integer(q->db, "pragma user_version", &version);
	if (rc)
		return db_error(q->db, rc, err, "cannot read", path);
	if (version != PROFILE_VERSION)
		return error_set(err, -EPROTONOSUPPORT, "%s has format %lld, this dusk reads %d", path,
				 (long long)version, PROFILE_VERSION);
	rc = declare_pragmas(q->db);
	sqlite3_set_authorizer(q->db, refuse, q);
	return rc ? db_error(q->db, rc, err, "cannot read", path) : 0;
}

/* The first word of a statement says best what it would do, but for those words that begin questions, too. */
static void name_refused(struct dusk_query *q, const char *sql)
{
	static const char *const questions[] = {"explain", "select", "values", "with", NULL};
	char word[16];
	size_t len = 0;

	while (isspace((unsigned char)*sql))
		sql++;
	for (; isalpha((unsigned char)sql[len]) && len + 1 < sizeof(word); len++)
		word[len] = toupper((unsigned char)sql[len]);
	word[len] = 0;
	if ((!*q->refused || !strcmp(q->refused, "this")) && len && !listed(word, questions))
		snprintf(q->refused, sizeof(q->refused), "%s", word);
}

static int prepare(struct dusk_query *q, const char *sql, struct dusk_error *err)
{
	_cleanup_(db_finalizep) sqlite3_stmt *more = NULL;
	const char *rest = "";
	int rc = sqlite3_prepare_v2(q->db, sql, -1, &q->stmt, &rest);

	if ((rc && *q->refused) || (!rc && q->stmt && !sqlite3_stmt_readonly(q->stmt))) {
		name_refused(q, sql);
		return error_set(err, -EPERM, "%s is refused: a query reads the profile, and does nothing else",
				 *q->refused ? q->refused : "this");
	}
	if (rc)
		return error_set(err, rc == SQLITE_NOMEM ? -ENOMEM : -EBADMSG, "%s", sqlite3_errmsg(q->db));
	if (!q->stmt)
		return error_set(err, -EBADMSG, "there is nothing in the query");
	if (sqlite3_prepare_v2(q->db, rest, -1, &more, NULL) || more)
		return error_set(err, -EPERM, "a second statement is refused: one query at a time");
	return 0;
}

static void query_freep(struct dusk_query **q)
{
	dusk_query_free(*q);
}

int dusk_query_new(struct dusk_query **ret, const char *path, const char *sql, struct dusk_error *err)
{
	_cleanup_(query_freep) struct dusk_query *q = calloc(1, sizeof(*q));
	int rc;

	if (!q)
		return error_set(err, -ENOMEM, "cannot read %s: %s", path, strerror(ENOMEM));
	rc = open_file(q, path, err);
	rc = rc ?: prepare(q, sql, err);
	if (rc)
		return rc;
	*ret = steal(q);
	return 0;
}

void dusk_query_free(struct dusk_query *q)
{
	if (!q)
		return;
	sqlite3_finalize(q->stmt);
	sqlite3_close(q->db);
	free(q);
}

uint32_t dusk_query_columns(const struct dusk_query *q)
{
	return sqlite3_column_count(q->stmt);
}

const char *dusk_query_name(const struct dusk_query *q, uint32_t column)
{
	const char *name = sqlite3_column_name(q->stmt, column);

	return name ? name : "";
}

int dusk_query_next(struct dusk_query *q, struct dusk_error *err)
{
	int rc = sqlite3_step(q->stmt);

	if (rc == SQLITE_ROW)
		return 1;
	if (rc == SQLITE_DONE)
		return 0;
	return error_set(err, db_errno(q->db, rc), "the query ended early: %s", sqlite3_errmsg(q->db));
}

void dusk_query_value(const struct dusk_query *q, uint32_t column, struct dusk_value *ret)
{
	*ret = (struct dusk_value){.kind = DUSK_VALUE_NULL, .text = ""};
	switch (sqlite3_column_type(q->stmt, column)) {
	case SQLITE_INTEGER:
		ret->kind = DUSK_VALUE_INTEGER;
		ret->integer = sqlite3_column_int64(q->stmt, column);
		break;
	case SQLITE_FLOAT:
		ret->kind = DUSK_VALUE_REAL;
		ret->real = sqlite3_column_double(q->stmt, column);
		break;
	case SQLITE_TEXT:
	case SQLITE_BLOB:
		ret->kind = sqlite3_column_type(q->stmt, column) == SQLITE_TEXT ? DUSK_VALUE_TEXT : DUSK_VALUE_BLOB;
		ret->text = (const char *)sqlite3_column_text(q->stmt, column) ?: "";
		ret->len_bytes = sqlite3_column_bytes(q->stmt, column);
		break;
	}
}
