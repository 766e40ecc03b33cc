/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* dusk query: run an SQL query on a profile. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/json.h"
#include "base/vec.h"
#include "cli/view/load_profile.h"
#include "cli/cmdline/output.h"
#include "cli/cmdline/remnant.h"
#include "cli/view/store.h"
#include "report/text.h"

#define MEASURED_CELLS 20000 /* column widths come from these cells; later rows may be wider */
#define MAX_WIDTH 60

/* The default query: lists the views and their columns. */
#define VIEWS                                                                                        \
	"select view, group_concat(name, ', ') as columns from (select v.name as view, c.name from " \
	"(select name, type from sqlite_schema union select name, type from sqlite_temp_schema) v, " \
	"pragma_table_info(v.name) c where v.type = 'view' order by v.name, c.cid) group by view"

struct options {
	const char *input;
	bool csv, json;
};

static const struct option options[] = {
	{'i', "input", OPTION_TEXT, offsetof(struct options, input), "FILE",
	 "the profile (default " DEFAULT_PROFILE ")"},
	{0, "csv", OPTION_FLAG, offsetof(struct options, csv), NULL, "comma-separated values"},
	{0, "json", OPTION_FLAG, offsetof(struct options, json), NULL, "one JSON object a line"},
	{0},
};

struct cell {
	char *text;
	bool number;
};

struct grid {
	FILE *out;
	struct dusk_query *query;
	uint32_t nr_columns;
	struct vec(struct cell) cells; /* row by row */
	size_t *width;		       /* by column */
	bool *number;		       /* by column: the first value is a number, so align to the right */
};

static void query_freep(struct dusk_query **q)
{
	dusk_query_free(*q);
}

/* The text of a value; numbers are written to @buffer. */
static const char *value_text(const struct dusk_value *v, char buffer[32])
{
	if (v->kind == DUSK_VALUE_INTEGER)
		snprintf(buffer, 32, "%" PRId64, v->integer);
	else if (v->kind == DUSK_VALUE_REAL)
		snprintf(buffer, 32, "%.15g", v->real);
	else
		return v->text;
	return buffer;
}

static int take_row(struct grid *g)
{
	for (uint32_t i = 0; i < g->nr_columns; i++) {
		struct dusk_value v;
		char buffer[32];
		struct cell c;

		dusk_query_value(g->query, i, &v);
		c.text = strdup(value_text(&v, buffer));
		c.number = v.kind == DUSK_VALUE_INTEGER || v.kind == DUSK_VALUE_REAL;
		if (!c.text || vec_push(&g->cells, c)) {
			free(c.text);
			return -ENOMEM;
		}
	}
	return 0;
}

static void drop_rows(struct grid *g)
{
	for (size_t i = 0; i < g->cells.nr; i++)
		free(g->cells.v[i].text);
	g->cells.nr = 0;
}

static void put_cell(const struct grid *g, uint32_t column, const char *text)
{
	size_t width = text_width(text, TEXT_TERMINAL), room = g->width[column];
	int blanks = width < room ? room - width : 0;
	bool last = column + 1 == g->nr_columns;

	if (g->number[column])
		fprintf(g->out, "%*s", blanks, "");
	text_write(g->out, text, TEXT_TERMINAL);
	fprintf(g->out, "%*s%s", g->number[column] || last ? 0 : blanks, "", last ? "\n" : "  ");
}

static void put_titles(struct grid *g)
{
	for (size_t i = 0; i < g->cells.nr; i++) {
		uint32_t column = i % g->nr_columns;
		size_t width = text_width(g->cells.v[i].text, TEXT_TERMINAL);

		if (width > g->width[column])
			g->width[column] = width < MAX_WIDTH ? width : MAX_WIDTH;
		if (i < g->nr_columns)
			g->number[column] = g->cells.v[i].number;
	}
	for (uint32_t i = 0; i < g->nr_columns; i++) {
		size_t width = text_width(dusk_query_name(g->query, i), TEXT_TERMINAL);

		if (width > g->width[i])
			g->width[i] = width;
		put_cell(g, i, dusk_query_name(g->query, i));
	}
	for (uint32_t i = 0; i < g->nr_columns; i++) {
		for (size_t n = 0; n < g->width[i]; n++)
			putc('-', g->out);
		fputs(i + 1 < g->nr_columns ? "  " : "\n", g->out);
	}
}

static void put_rows(struct grid *g)
{
	for (size_t i = 0; i < g->cells.nr && !ferror(g->out); i++)
		put_cell(g, i % g->nr_columns, g->cells.v[i].text);
	drop_rows(g);
}

static int fill_grid(struct grid *g, struct dusk_error *err)
{
	bool titles = false;
	int more, failed = 0;

	g->width = calloc(g->nr_columns + 1, sizeof(*g->width));
	g->number = calloc(g->nr_columns + 1, sizeof(*g->number));
	if (!g->width || !g->number)
		return -ENOMEM;
	while (!failed && (more = dusk_query_next(g->query, err)) > 0 && !ferror(g->out)) {
		failed = take_row(g);
		if (!titles && g->cells.nr < MEASURED_CELLS)
			continue;
		if (!titles)
			put_titles(g);
		titles = true;
		put_rows(g);
	}
	if (!titles && !failed && more >= 0)
		put_titles(g);
	put_rows(g);
	return failed ? failed : more < 0 ? more : 0;
}

static int show_grid(FILE *out, struct dusk_query *q, struct dusk_error *err)
{
	struct grid g = {.out = out, .query = q, .nr_columns = dusk_query_columns(q)};
	int failed = fill_grid(&g, err);

	drop_rows(&g);
	vec_done(&g.cells);
	free(g.width);
	free(g.number);
	return failed;
}

static int show_csv(FILE *out, struct dusk_query *q, struct dusk_error *err)
{
	uint32_t nr = dusk_query_columns(q);
	int more;

	for (uint32_t i = 0; i < nr; i++) {
		text_csv(out, dusk_query_name(q, i));
		putc(i + 1 < nr ? ',' : '\n', out);
	}
	while ((more = dusk_query_next(q, err)) > 0 && !ferror(out))
		for (uint32_t i = 0; i < nr; i++) {
			struct dusk_value v;
			char buffer[32];

			dusk_query_value(q, i, &v);
			text_csv(out, value_text(&v, buffer));
			putc(i + 1 < nr ? ',' : '\n', out);
		}
	return more < 0 ? more : 0;
}

static void show_member(struct json *j, const char *name, const struct dusk_value *v)
{
	switch (v->kind) {
	case DUSK_VALUE_NULL: json_string(j, name, NULL); break;
	case DUSK_VALUE_INTEGER: json_i64(j, name, v->integer); break;
	case DUSK_VALUE_REAL: json_double(j, name, v->real); break;
	case DUSK_VALUE_TEXT:
	case DUSK_VALUE_BLOB: json_string(j, name, v->text); break;
	}
}

static void show_schema(FILE *out, const struct dusk_query *q)
{
	struct json j = {.out = out};

	json_object(&j, NULL);
	json_string(&j, "schema", "dusk-query-1");
	json_array(&j, "columns");
	for (uint32_t i = 0; i < dusk_query_columns(q); i++)
		json_string(&j, NULL, dusk_query_name(q, i));
	json_array_end(&j);
	json_object_end(&j);
	putc('\n', out);
}

static int show_ndjson(FILE *out, struct dusk_query *q, struct dusk_error *err)
{
	int more;

	show_schema(out, q);
	while ((more = dusk_query_next(q, err)) > 0 && !ferror(out)) {
		struct json j = {.out = out};

		json_object(&j, NULL);
		for (uint32_t i = 0; i < dusk_query_columns(q); i++) {
			struct dusk_value v;

			dusk_query_value(q, i, &v);
			show_member(&j, dusk_query_name(q, i), &v);
		}
		json_object_end(&j);
		putc('\n', out);
	}
	return more < 0 ? more : 0;
}

/* Check that column names are unique, as members of a JSON object must be. */
static int check_names(const struct command *self, const struct dusk_query *q)
{
	for (uint32_t i = 0; i < dusk_query_columns(q); i++)
		for (uint32_t k = 0; k < i; k++)
			if (!strcmp(dusk_query_name(q, i), dusk_query_name(q, k)))
				return say_usage(self, "two columns are called '%s'; for JSON name one by AS",
						 dusk_query_name(q, i));
	return STATUS_OK;
}

static int refuse(const struct command *self, int failed, const struct dusk_error *err)
{
	if (failed == -EBADMSG)
		return say_usage(self, "%s; 'dusk query' lists the views and their columns", err->text);
	if (failed == -EPERM)
		return say_usage(self, "%s", err->text);
	say("%s", err->text);
	return STATUS_FAILED;
}

static int ask(const struct command *self, const struct options *o, const char *sql)
{
	_cleanup_(query_freep) struct dusk_query *q = NULL;
	struct dusk_error err = {""};
	struct output out;
	int failed = dusk_query_new(&q, o->input, sql, &err), status;

	if (failed)
		return refuse(self, failed, &err);
	if (o->json && check_names(self, q))
		return STATUS_USAGE;
	status = output_open(&out, NULL, !o->csv && !o->json);
	if (status)
		return status;
	failed = (o->csv ? show_csv : o->json ? show_ndjson : show_grid)(out.file, q, &err);
	if (*err.text) {
		output_close(&out, 0);
		say("%s", err.text);
		return STATUS_FAILED;
	}
	return output_close(&out, failed);
}

/* A file without a name, which nothing is left of, however the command ends. Returns a descriptor or a negative errno. */
static int open_unnamed(const char *folder)
{
	int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	char name[PATH_MAX];

	if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR))
		return fd < 0 ? -errno : fd;
	/* This file system has none. */
	if (snprintf(name, sizeof(name), "%s/dusk-query-XXXXXX", folder) >= PATH_MAX)
		return -ENAMETOOLONG;
	fd = remnant_make(name);
	if (fd >= 0)
		unlink(name);
	remnant_done();
	return fd;
}

/* SQL needs a file: write what the store has into one, and ask that. */
static int ask_store(const struct command *self, struct options o, const char *sql)
{
	_cleanup_(profile_freep) struct dusk_profile *p = NULL;
	_cleanup_(closep) int fd = -1;
	const char *tmp = getenv("TMPDIR") ?: "/tmp";
	struct dusk_error err = {""};
	int status = open_profile(&p, o.input, true, false);
	char path[32];

	if (status)
		return status;
	fd = open_unnamed(tmp);
	if (fd < 0) {
		say("cannot make a file in %s: %s", tmp, strerror(-fd));
		return STATUS_FAILED;
	}
	if (dusk_profile_write_fd(p, fd, 0, &err)) {
		say("%s", err.text);
		return STATUS_FAILED;
	}
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	o.input = path;
	return ask(self, &o, sql);
}

static int run(const struct command *self, int argc, char **argv)
{
	struct options o = {.input = DEFAULT_PROFILE};
	const char *sql = VIEWS;
	size_t nr;
	int status;

	if (!command_words(self, argc, argv, &o, &sql, 1, &nr, &status))
		return status;
	if (o.csv && o.json)
		return say_usage(self, "--csv and --json exclude each other");
	return store_is_meant(o.input) ? ask_store(self, o, sql) : ask(self, &o, sql);
}

const struct command cmd_query = {
	.name = "query",
	.summary = "Ask a profile in SQL",
	.arguments = "[options] ['SQL']",
	.notes = "Without SQL: the views that there are, and their columns.\n",
	.options = options,
	.run = run,
};
