/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Run an SQL query on a profile.
 *
 * The file is opened as for every view (lib/profile/file/open.h). SQLite calls refuse() for each action of a statement, or of a
 * view in the file. It denies ATTACH, PRAGMAs that set something and functions that are not on the list, so that no
 * other file can be touched. Table-valued modules are removed from the connection.
 */
#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"
#include "lib/profile/file/db.h"
#include "lib/profile/file/open.h"
#include "lib/profile/file/schema.h"
#include "lib/profile/query/functions.h"
#include "lib/profile/query/sums.h"
#include "lib/profile/query/unpack.h"

struct dusk_query {
	struct profile_file file;
	sqlite3_stmt *stmt;
	struct query_functions functions;
	char refused[64]; /* which part of the statement is not allowed, or "" */
};

static bool listed(const char *name, const char *const *list)
{
	for (; *list; list++)
		if (!strcasecmp(name, *list))
			return true;
	return false;
}

/* PRAGMAs that describe tables, and PRAGMAs that return a number if they have no argument. */
static const char *const describing[] = {"table_info", "table_xinfo", "table_list", NULL};
static const char *const telling[] = {"application_id", "user_version", NULL};

/*
 * Functions that compute a value from their arguments, and do nothing else. A list of those that are allowed, as a
 * build of SQLite may have further functions.
 */
static const char *const functions[] = {
	"abs",
	"acos",
	"acosh",
	"asin",
	"asinh",
	"atan",
	"atan2",
	"atanh",
	"avg",
	"ceil",
	"ceiling",
	"char",
	"coalesce",
	"concat",
	"concat_ws",
	"cos",
	"cosh",
	"count",
	"cume_dist",
	"current_date",
	"current_time",
	"current_timestamp",
	"date",
	"datetime",
	"degrees",
	"dense_rank",
	"exp",
	"first_value",
	"floor",
	"format",
	"glob",
	"group_concat",
	"hex",
	"ifnull",
	"iif",
	"instr",
	"json_array",
	"json_group_array",
	"json_group_object",
	"json_object",
	"json_quote",
	"julianday",
	"lag",
	"last_value",
	"lead",
	"length",
	"like",
	"likelihood",
	"likely",
	"ln",
	"log",
	"log10",
	"log2",
	"lower",
	"ltrim",
	"max",
	"median",
	"min",
	"mod",
	"nth_value",
	"ntile",
	"nullif",
	"percent_rank",
	"percentile",
	"pi",
	"pow",
	"power",
	"printf",
	"quote",
	"radians",
	"rank",
	"replace",
	"round",
	"row_number",
	"rtrim",
	"sign",
	"sin",
	"sinh",
	"sqrt",
	"stack",
	"strftime",
	"string_agg",
	"substr",
	"substring",
	"sum",
	"tan",
	"tanh",
	"time",
	"total",
	"trim",
	"trunc",
	"typeof",
	"unhex",
	"unicode",
	"unixepoch",
	"unlikely",
	"upper",
	NULL,
};

static int refuse(void *ctx, int action, const char *first, const char *second, const char *database, const char *view)
{
	struct dusk_query *q = ctx;

	switch (action) {
	case SQLITE_SELECT:
	case SQLITE_READ:
	case SQLITE_RECURSIVE: return SQLITE_OK;
	case SQLITE_FUNCTION:
		if (listed(second, functions))
			return SQLITE_OK;
		snprintf(q->refused, sizeof(q->refused), "%s()", second);
		return SQLITE_DENY;
	case SQLITE_PRAGMA:
		if (listed(first, describing) || (!second && listed(first, telling)))
			return SQLITE_OK;
		snprintf(q->refused, sizeof(q->refused), "PRAGMA %.32s", first);
		return SQLITE_DENY;
	default: strcpy(q->refused, "this"); return SQLITE_DENY;
	}
}

/*
 * SQLite creates pragma_table_info and the like at their first use, which refuse() would deny, so use each once before.
 */
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

/* Check that this is a profile, and that it has no virtual tables, which run code. */
static int check(struct dusk_query *q)
{
	sqlite3_int64 application = 0, version = 0, virtual = 0;
	const struct profile_file *f = &q->file;
	int rc = db_integer(f->db, "pragma application_id", &application);

	rc = rc ?: db_integer(f->db, "pragma user_version", &version);
	rc = rc
		     ?: db_integer(f->db,
				   "select count(*) from sqlite_schema where type='table' and ifnull(rootpage,0)<=0",
				   &virtual);
	if (rc)
		return profile_file_failed(f, rc);
	if (application != PROFILE_APPLICATION_ID)
		return error_set(f->err, -EINVAL, "%s is not a dusk profile", f->path);
	if (version != PROFILE_VERSION)
		return error_set(f->err, -EPROTONOSUPPORT, "%s has format %lld, this dusk reads %d", f->path,
				 (long long)version, PROFILE_VERSION);
	if (virtual)
		return error_set(f->err, -EINVAL, "%s is damaged: it has virtual tables, which a profile has not",
				 f->path);
	return 0;
}

static int open_file(struct dusk_query *q, const char *path, struct dusk_error *err)
{
	int rc;

	q->file = (struct profile_file)PROFILE_FILE(path, err);
	rc = profile_file_open(&q->file);
	rc = rc ?: check(q);
	rc = rc ?: query_unpack(&q->file);
	rc = rc ?: query_add_sums(&q->file);
	if (rc)
		return rc;
	sqlite3_progress_handler(q->file.db, 0, NULL, NULL); /* a query may take any time */
	rc = sqlite3_drop_modules(q->file.db, NULL);
	rc = rc ?: declare_pragmas(q->file.db);
	rc = rc ?: query_functions_add(&q->functions, q->file.db);
	sqlite3_set_authorizer(q->file.db, refuse, q);
	rc = rc ? profile_file_failed(&q->file, rc) : 0;
	q->file.err = NULL; /* the caller's, valid only during this call */
	return rc;
}

/* Name the refused statement by its first word, unless that is a word that also begins allowed queries. */
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
	int rc = sqlite3_prepare_v2(q->file.db, sql, -1, &q->stmt, &rest);

	if ((rc && *q->refused) || (!rc && q->stmt && !sqlite3_stmt_readonly(q->stmt))) {
		name_refused(q, sql);
		return error_set(err, -EPERM, "%s is refused: a query reads the profile, and does nothing else",
				 *q->refused ? q->refused : "this");
	}
	if (rc)
		return error_set(err, rc == SQLITE_NOMEM ? -ENOMEM : -EBADMSG, "%s", sqlite3_errmsg(q->file.db));
	if (!q->stmt)
		return error_set(err, -EBADMSG, "there is nothing in the query");
	if (sqlite3_prepare_v2(q->file.db, rest, -1, &more, NULL) || more)
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
	query_functions_done(&q->functions);
	profile_file_close(&q->file);
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
	return error_set(err, db_errno(q->file.db, rc), "the query ended early: %s", sqlite3_errmsg(q->file.db));
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
