/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Any question in SQL to any profile: does it do more than read?
 *
 * An input is a question, or statements that prepare the file, a line "--ask", and a question. Whatever it is, the file
 * stays as it was to the last byte, and nothing comes to be beside it.
 */
#include <assert.h>
#include <dirent.h>
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "small_profile.h"

#define ASK "\n--ask\n"
#define CALLS 200 /* of 1000 steps */
#define MAX_ROWS 1000

static char folder[] = "/tmp/dusk-fuzz-query-XXXXXX", path[64];
static int calls_left;

static int out_of_steps(void *ctx)
{
	return --calls_left < 0;
}

/* When it begins to run: the library has lifted its own bound by then, as a question may go on for ever. */
static int bound_statement(unsigned what, void *db, void *statement, void *sql)
{
	sqlite3_progress_handler(db, 1000, out_of_steps, NULL);
	return 0;
}

static int bound(sqlite3 *db, const char **why, const struct sqlite3_api_routines *api)
{
	return sqlite3_trace_v2(db, SQLITE_TRACE_STMT, bound_statement, db);
}

static void remove_files(void)
{
	unlink(path);
	rmdir(folder);
}

static void begin(void)
{
	if (*path)
		return;
	if (!mkdtemp(folder))
		abort();
	snprintf(path, sizeof(path), "%s/p.dusk", folder);
	atexit(remove_files);
}

/* The same file again: to make one takes longer than most questions. */
static void write_again(void)
{
	static char *good;
	static size_t bytes;
	FILE *f;

	if (!good) {
		write_small_profile(path);
		if (file_read(&good, &bytes, path, 1 << 24))
			abort();
	}
	unlink(path);
	f = fopen(path, "we");
	if (!f || fwrite(good, 1, bytes, f) != bytes || fclose(f))
		abort();
}

static void prepare(const char *sql)
{
	sqlite3 *db;

	calls_left = CALLS;
	if (sqlite3_open(path, &db))
		abort();
	sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
	sqlite3_exec(db, "pragma synchronous=off", NULL, NULL, NULL);
	sqlite3_exec(db, sql, NULL, NULL, NULL);
	sqlite3_exec(db, "rollback", NULL, NULL, NULL);
	sqlite3_exec(db, "pragma journal_mode=delete", NULL, NULL, NULL);
	sqlite3_close(db);
}

static size_t names(void)
{
	DIR *dir = opendir(folder);
	size_t nr = 0;

	if (!dir)
		abort();
	while (readdir(dir))
		nr++;
	closedir(dir);
	return nr;
}

static void ask(const char *sql)
{
	struct dusk_query *q = NULL;
	struct dusk_error err = {""};
	size_t sum = 0;

	if (dusk_query_new(&q, path, sql, &err)) {
		assert(!q && *err.text);
		return;
	}
	for (int rows = 0; rows < MAX_ROWS && dusk_query_next(q, &err) > 0; rows++)
		for (uint32_t i = 0; i < dusk_query_columns(q); i++) {
			struct dusk_value v;

			dusk_query_value(q, i, &v);
			assert(!v.text[v.len_bytes]);
			sum += strlen(dusk_query_name(q, i)) + v.len_bytes;
		}
	assert(sum < SIZE_MAX);
	dusk_query_free(q);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = calloc(1, size + 1), *before = NULL, *after = NULL, *question;
	size_t before_bytes, after_bytes, nr;

	if (!text)
		abort();
	memcpy(text, data, size);
	begin();
	sqlite3_auto_extension((void (*)(void))bound);
	calls_left = 1 << 20;
	write_again();
	question = strstr(text, ASK);
	if (question) {
		*question = 0;
		question += strlen(ASK);
		prepare(text);
	}
	nr = names();
	if (file_read(&before, &before_bytes, path, 1 << 24))
		abort();
	calls_left = CALLS;
	ask(question ? question : text);
	if (file_read(&after, &after_bytes, path, 1 << 24))
		abort();
	assert(before_bytes == after_bytes && !memcmp(before, after, before_bytes));
	assert(names() == nr);
	free(before);
	free(after);
	free(text);
	return 0;
}
