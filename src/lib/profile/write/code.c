/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Frames of code of interpreted languages in a profile that is written.
 *
 * What such a frame is called is known when it is met, and perhaps not later, so that its function, file and line are
 * written with it: a recording that is killed has them. Nothing else writes names before the recording is over.
 */
#include "base/cleanup.h"
#include "base/path.h"
#include "lib/profile/file/schema.h"
#include "lib/profile/write/writer.h"

#define LINE_BITS 20
#define HASH_BITS 24

/* Statements that are prepared when the first frame is written: most profiles have none. */
static const char *const code_sql[NR_CODE_STATEMENTS] = {
	[CODE_IMAGE] = "insert into image values(?,?)",
	[CODE_FUNCTION] = "insert into function values(?,?,null,?)",
	[CODE_SOURCE] = "insert into source values(?,?)",
	[CODE_LINE] = "insert into line values(?,?,?,?,?)",
	[CODE_FRAME] = "update frame set function=?2,function_offset=0 where id=?1",
};

static bool prepare(struct profile_writer *w)
{
	if (!w->code.stmt[0])
		writer_fail_db(w, db_exec(w->db, PROFILE_LINE_TABLES));
	for (int i = 0; i < NR_CODE_STATEMENTS && !w->error; i++)
		if (!w->code.stmt[i])
			writer_fail_db(w, db_prepare(&w->code.stmt[i], w->db, code_sql[i]));
	return !w->error;
}

/* The number of @text in a table of numbers and texts. */
static uint32_t text_of(struct profile_writer *w, struct strings *known, enum code_statement insert, const char *text)
{
	sqlite3_stmt *stmt = w->code.stmt[insert];
	uint32_t number;
	bool fresh;

	if (w->error)
		return 0;
	if (strings_number(known, text, strlen(text), &number, &fresh)) {
		writer_fail_memory(w);
		return 0;
	}
	if (fresh) {
		sqlite3_bind_int64(stmt, 1, number + 1);
		writer_bind_text(w, stmt, 2, text);
		writer_run(w, stmt);
	}
	return number + 1;
}

/* Functions of one name and image are one, as those that are looked up. */
static uint32_t function_of(struct profile_writer *w, const char *name, const char *file)
{
	uint32_t image = text_of(w, &w->code.images, CODE_IMAGE, path_name(file)), number;
	sqlite3_stmt *stmt = w->code.stmt[CODE_FUNCTION];
	_cleanup_(freep) char *key = NULL;
	int len = asprintf(&key, "%u %s", image, name);
	bool fresh;

	if (w->error)
		return 0;
	if (len < 0)
		key = NULL;
	if (!key || strings_number(&w->code.functions, key, len, &number, &fresh)) {
		writer_fail_memory(w);
		return 0;
	}
	if (fresh) {
		sqlite3_bind_int64(stmt, 1, number + 1);
		writer_bind_name(w, stmt, 2, name);
		sqlite3_bind_int64(stmt, 3, image);
		writer_run(w, stmt);
	}
	return number + 1;
}

/* Write what the new frame @frame is called, and its line. */
static void name_frame(struct profile_writer *w, uint32_t frame, const struct profile_code *c)
{
	uint32_t function = function_of(w, c->name, c->file),
		 source = text_of(w, &w->code.sources, CODE_SOURCE, c->file);
	sqlite3_stmt *stmt = w->code.stmt[CODE_LINE];

	if (w->error)
		return;
	sqlite3_bind_int64(stmt, 1, ++w->code.nr_lines);
	sqlite3_bind_int64(stmt, 2, frame);
	sqlite3_bind_int64(stmt, 3, function);
	sqlite3_bind_int64(stmt, 4, source);
	sqlite3_bind_int64(stmt, 5, c->line);
	writer_run(w, stmt);
	stmt = w->code.stmt[CODE_FRAME];
	sqlite3_bind_int64(stmt, 1, frame);
	sqlite3_bind_int64(stmt, 2, function);
	writer_run(w, stmt);
}

uint64_t profile_code_offset(const struct profile_code *c)
{
	uint64_t hash = hash64(hash_text(c->name) ^ c->first_line);
	uint32_t line = c->line < 1U << LINE_BITS ? c->line : (1U << LINE_BITS) - 1;

	return (hash & ((1U << HASH_BITS) - 1)) << LINE_BITS | line;
}

uint32_t profile_code_frame(struct profile_writer *w, pid_t pid, const struct profile_code *c)
{
	const struct dusk_module m = {.kind = DUSK_MODULE_SOURCE, .pid = pid, .path = c->file, .build_id = ""};
	uint32_t before = w->frames.nr, frame;

	if (!writer_begin(w, FRAME) || !prepare(w))
		return 0;
	frame = profile_frame(w, profile_module(w, &m), profile_code_offset(c), false, DUSK_BY_NOTHING);
	if (frame && w->frames.nr > before)
		name_frame(w, frame, c);
	return frame;
}

void writer_code_done(struct profile_writer *w)
{
	strings_done(&w->code.images);
	strings_done(&w->code.functions);
	strings_done(&w->code.sources);
}

void writer_finalize_code(struct profile_writer *w)
{
	for (int i = 0; i < NR_CODE_STATEMENTS; i++)
		sqlite3_finalize(steal(w->code.stmt[i]));
}
