/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Write names into the database of a profile.
 *
 * The tables of functions and of frames are rewritten: rows that grow in place would leave half of the pages empty. All
 * is in one transaction, so a profile has either all of its new names or those that it had before.
 */
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "lib/profile/file/db.h"
#include "lib/profile/sums/packed.h"
#include "lib/profile/write/save.h"
#include "lib/profile/file/schema.h"

static void bind_number_or_null(sqlite3_stmt *stmt, int column, uint64_t value, bool is_null)
{
	if (is_null)
		sqlite3_bind_null(stmt, column);
	else
		sqlite3_bind_int64(stmt, column, value);
}

/* Check that the file holds the recording that @p was read from. */
static int check_same(sqlite3 *db, const struct dusk_profile *p)
{
	sqlite3_int64 application, version, frames, modules;
	int rc = db_integer(db, "pragma application_id", &application);

	rc = rc ?: db_integer(db, "pragma user_version", &version);
	if (rc)
		return rc;
	if (application != PROFILE_APPLICATION_ID || version != PROFILE_VERSION)
		return SQLITE_NOTADB;
	rc = packed_count(db, "frame", &frames);
	rc = rc ?: packed_count(db, "module", &modules);
	if (!rc && (frames + 1 != p->nr_frames || modules + 1 != p->nr_modules))
		rc = SQLITE_MISMATCH;
	return rc;
}

/* Write a row of image or source. */
static int save_text(sqlite3_stmt *stmt, uint32_t id, const char *text, uint64_t *cut)
{
	sqlite3_bind_int64(stmt, 1, id);
	*cut += db_bind_name(stmt, 2, text);
	return db_run(stmt);
}

static int save_functions(sqlite3 *db, const struct dusk_profile *p, uint64_t *cut)
{
	_cleanup_(db_finalizep) sqlite3_stmt *function = NULL, *image = NULL;
	_cleanup_(strings_done) struct strings images = {0};
	int rc = db_prepare(&function, db, "insert into function values(?,?,?,?)");

	rc = rc ?: db_prepare(&image, db, "insert into image values(?,?)");
	for (uint32_t i = 1; !rc && i < p->nr_functions; i++) {
		const struct dusk_function *f = &p->functions[i];
		uint32_t number;
		bool fresh;

		if (strings_number(&images, f->module, strlen(f->module), &number, &fresh))
			return SQLITE_NOMEM;
		if (fresh)
			rc = save_text(image, number + 1, f->module, cut);
		sqlite3_bind_int64(function, 1, i);
		*cut += db_bind_name(function, 2, *f->name ? f->name : PROFILE_NO_NAME);
		if (strcmp(f->symbol, f->name))
			*cut += db_bind_name(function, 3, f->symbol);
		else
			sqlite3_bind_null(function, 3);
		sqlite3_bind_int64(function, 4, number + 1);
		rc = rc ?: db_run(function);
	}
	return rc;
}

/*
 * Write the lines in the order of frames, whatever their order in @p is, so that the lines of a frame are consecutive.
 */
static int save_lines(sqlite3 *db, const struct dusk_profile *p, uint64_t *cut)
{
	_cleanup_(db_finalizep) sqlite3_stmt *stmt = NULL, *source = NULL;
	_cleanup_(strings_done) struct strings sources = {0};
	int rc = db_exec(db, PROFILE_LINE_TABLES "delete from source; delete from line");
	sqlite3_int64 id = 0;

	rc = rc ?: db_prepare(&stmt, db, "insert into line values(?,?,?,?,?)");
	rc = rc ?: db_prepare(&source, db, "insert into source values(?,?)");
	for (uint32_t i = 1; !rc && i < p->nr_frames; i++) {
		const struct dusk_frame *f = &p->frames[i];

		for (uint32_t k = 0; !rc && k < f->nr_lines && k < PROFILE_MAX_LINES; k++) {
			const struct dusk_line *l = &p->lines[f->first_line + k];
			uint32_t number;
			bool fresh;

			if (strings_number(&sources, l->file, strlen(l->file), &number, &fresh))
				return SQLITE_NOMEM;
			if (fresh)
				rc = save_text(source, number + 1, l->file, cut);
			sqlite3_bind_int64(stmt, 1, ++id);
			sqlite3_bind_int64(stmt, 2, i);
			sqlite3_bind_int64(stmt, 3, l->function);
			sqlite3_bind_int64(stmt, 4, number + 1);
			sqlite3_bind_int64(stmt, 5, l->line);
			rc = rc ?: db_run(stmt);
		}
	}
	return rc;
}

static int save_frames(sqlite3 *db, const struct dusk_profile *p)
{
	_cleanup_(db_finalizep) sqlite3_stmt *stmt = NULL;
	int rc = db_prepare(&stmt, db, "insert into frame values(?,?,?,?,?,?,?,?)");

	for (uint32_t i = 1; !rc && i < p->nr_frames; i++) {
		const struct dusk_frame *f = &p->frames[i];

		sqlite3_bind_int64(stmt, 1, i);
		sqlite3_bind_int64(stmt, 2, f->module);
		sqlite3_bind_int64(stmt, 3, f->offset);
		sqlite3_bind_int(stmt, 4, f->is_return);
		bind_number_or_null(stmt, 5, f->function, !f->function);
		bind_number_or_null(stmt, 6, f->function_offset, !f->function);
		bind_number_or_null(stmt, 7, f->address, f->address == f->offset);
		sqlite3_bind_int(stmt, 8, f->method);
		rc = db_run(stmt);
	}
	return rc;
}

static const char *const tables[] = {"image", "function", "frame", "source", "line"};
#define NR_TABLES (sizeof(tables) / sizeof(tables[0]))

/* Remove blocks of what is written anew. */
static int unpack(sqlite3 *db)
{
	int rc = SQLITE_OK;
	char sql[64];

	for (size_t i = 0; !rc && i < NR_TABLES; i++) {
		snprintf(sql, sizeof(sql), "delete from packed where name='%s'", tables[i]);
		rc = db_exec(db, sql);
	}
	return rc;
}

static int count_cut(sqlite3 *db, uint64_t cut)
{
	char sql[256];

	snprintf(sql, sizeof(sql), PROFILE_TEXTS_CUT, (unsigned long long)cut);
	return cut ? db_exec(db, sql) : SQLITE_OK;
}

int names_save(sqlite3 *db, const struct dusk_profile *p)
{
	uint64_t cut = 0;
	int rc = db_exec(db, "begin immediate");

	rc = rc ?: check_same(db, p);
	rc = rc ?: db_exec(db, "delete from image; delete from function; delete from frame");
	rc = rc ?: packed_is_there(db) ? unpack(db) : 0;
	rc = rc ?: save_functions(db, p, &cut);
	rc = rc ?: save_frames(db, p);
	rc = rc ?: (p->nr_lines ? save_lines(db, p, &cut) : 0);
	rc = rc ?: count_cut(db, cut);
	rc = rc ?: (p->symbolized ? db_exec(db, "insert or replace into setting values('symbolized','1')") : 0);
	for (size_t i = 0; !rc && i < NR_TABLES && packed_is_there(db); i++)
		rc = packed_take(db, tables[i]);
	return rc ?: db_exec(db, "commit");
}
