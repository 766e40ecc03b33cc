/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The profile reader on any file.
 *
 * A database of pages is hard to hit from outside, so the input can be of two kinds: a file as it is, or, after the
 * word "sql:", statements that are run on a good profile, which is how hostile rows come about. What is read is then
 * walked through by its indices, as reports do.
 */
#include <assert.h>
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "small_profile.h"

static char path[64];

/* Also what SQLite leaves beside a file in WAL mode: it would change the next input. */
static void remove_files(void)
{
	static const char *const suffixes[] = {"", "-wal", "-shm", "-journal"};
	char name[80];

	for (int i = 0; i < 4; i++) {
		snprintf(name, sizeof(name), "%s%s", path, suffixes[i]);
		unlink(name);
	}
}

static int budget(void *ctx)
{
	return --*(int *)ctx < 0;
}

static void write_by_sql(const uint8_t *data, size_t size)
{
	char *sql = calloc(1, size + 1);
	int steps = 100;
	sqlite3 *db;

	if (!sql)
		abort();
	memcpy(sql, data, size);
	write_small_profile(path);
	if (sqlite3_open(path, &db))
		abort();
	sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 1 << 20);
	sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
	sqlite3_progress_handler(db, 1000, budget, &steps);
	sqlite3_exec(db, sql, NULL, NULL, NULL);
	sqlite3_close(db);
	free(sql);
}

static void write_file(const uint8_t *data, size_t size)
{
	FILE *f = fopen(path, "w");

	if (!f)
		abort();
	fwrite(data, 1, size, f);
	fclose(f);
}

static size_t walk(const struct dusk_profile *p)
{
	size_t sum = 0;

	for (uint64_t i = 0; i < p->nr_samples; i++) {
		const struct dusk_sample *s = &p->samples[i];

		sum += strlen(p->threads[s->thread].comm) + strlen(p->outcomes[s->outcome].name);
		for (uint32_t n = s->node; n; n = p->nodes[n].parent) {
			const struct dusk_frame *f = &p->frames[p->nodes[n].frame];

			assert(p->nodes[n].parent < n);
			sum += strlen(p->functions[f->function].name) + strlen(p->modules[f->module].path);
			for (uint32_t k = 0; k < f->nr_lines; k++) {
				const struct dusk_line *l = &p->lines[f->first_line + k];

				sum += strlen(l->file) + strlen(p->functions[l->function].name);
			}
		}
	}
	return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dusk_profile *p = NULL;
	struct dusk_error err = {0};

	if (!*path) {
		snprintf(path, sizeof(path), "/tmp/dusk-fuzz-%d.dusk", getpid());
		atexit(remove_files);
	}
	remove_files();
	if (size > 4 && !memcmp(data, "sql:", 4))
		write_by_sql(data + 4, size - 4);
	else
		write_file(data, size);
	if (dusk_profile_read(&p, path, &err))
		assert(!p && *err.text);
	else if (walk(p) < SIZE_MAX && !dusk_profile_unfold(p))
		walk(p);
	dusk_profile_free(p);
	return 0;
}
