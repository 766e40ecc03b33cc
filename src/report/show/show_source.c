/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Print the samples of a function beside its source lines. See show_annotation.h. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/file.h"
#include "base/json.h"
#include "base/vec.h"
#include "report/show/show_annotation.h"
#include "report/text.h"

#define MAX_SOURCE_BYTES (64 << 20)
#define CONTEXT 2 /* lines before and after a line that is shown */
#define TAB 8

struct source_line {
	uint32_t file, line; /* line 0: samples without a line in the line table */
	uint64_t samples;
};

struct view {
	FILE *out;
	const struct annotation *annotation;
	const struct dusk_code *code;
	const struct show_options *options;
	struct vec(struct source_line) lines; /* sorted by file (the main file first), then by line */
	uint64_t *of_file;		      /* samples by file */
	uint32_t main_file;
	struct vec(const char *) text; /* of the loaded file, by line number; 0 is unused */
	char *bytes;
};

static int by_line(const void *first, const void *second, void *ctx)
{
	const struct source_line *a = first, *b = second;
	const struct view *v = ctx;

	if (a->file != b->file) {
		if (a->file == v->main_file || b->file == v->main_file)
			return a->file == v->main_file ? -1 : 1;
		if (v->of_file[a->file] != v->of_file[b->file])
			return v->of_file[a->file] > v->of_file[b->file] ? -1 : 1;
		return a->file < b->file ? -1 : 1;
	}
	return (a->line > b->line) - (a->line < b->line);
}

static int add(struct view *v, uint32_t file, uint32_t line, uint64_t start, uint64_t end)
{
	struct source_line s = {file, line, annotation_sum(v->annotation, start, end)};

	if (!line && !s.samples)
		return 0;
	v->of_file[file] += s.samples;
	return vec_push(&v->lines, s);
}

/* Code without a line counts for the file in which the function begins. */
static int collect(struct view *v)
{
	const struct dusk_code *c = v->code;
	const struct dusk_code_line *first = NULL;
	size_t nr = 0;
	int err;

	v->of_file = calloc((size_t)c->nr_files + 1, sizeof(*v->of_file));
	if (!v->of_file)
		return -ENOMEM;
	for (uint32_t i = 0; i < c->nr_lines && !first; i++)
		first = c->lines[i].line ? &c->lines[i] : NULL;
	v->main_file = first ? first->file : 0;
	err = add(v, v->main_file, 0, c->start, c->nr_lines ? c->lines[0].address : c->end);
	for (uint32_t i = 0; i < c->nr_lines && !err; i++) {
		const struct dusk_code_line *l = &c->lines[i];

		err = add(v, l->line ? l->file : v->main_file, l->line, l->address,
			  i + 1 < c->nr_lines ? l[1].address : c->end);
	}
	if (err || !v->lines.nr)
		return err;
	qsort_r(v->lines.v, v->lines.nr, sizeof(*v->lines.v), by_line, v);
	for (size_t i = 0; i < v->lines.nr; i++) {
		struct source_line *last = nr ? &v->lines.v[nr - 1] : NULL, *s = &v->lines.v[i];

		if (last && last->file == s->file && last->line == s->line)
			last->samples += s->samples;
		else if (s->file == v->main_file || s->samples)
			v->lines.v[nr++] = *s;
	}
	v->lines.nr = nr;
	return 0;
}

/* Load the text of the source file @path. *@err: 0, or why it cannot be read. Returns 0 or -ENOMEM. */
static int load(struct view *v, const char *path, int *err)
{
	size_t len;

	free(steal(v->bytes));
	v->text.nr = 0;
	*err = file_read(&v->bytes, &len, path, MAX_SOURCE_BYTES);
	if (*err)
		return *err == -ENOMEM ? -ENOMEM : 0;
	if (vec_push(&v->text, ""))
		return -ENOMEM;
	for (char *rest = v->bytes, *line; (line = strsep(&rest, "\n"));)
		if ((rest || *line) && vec_push(&v->text, line))
			return -ENOMEM;
	return 0;
}

static const char *text_of(const struct view *v, uint32_t line)
{
	return line < v->text.nr ? v->text.v[line] : "";
}

/* Expand tabs: a terminal would align them to the screen, not to the text. */
static int write_text(const struct view *v, const char *text)
{
	struct vec(char) plain = {0};
	int err = 0;

	for (; *text && !err; text++) {
		if (*text == '\r' && !text[1])
			break;
		do
			err = vec_push(&plain, *text == '\t' ? ' ' : *text);
		while (!err && *text == '\t' && plain.nr % TAB);
	}
	err = err ? err : vec_push(&plain, 0);
	if (!err)
		text_write(v->out, plain.v, TEXT_TERMINAL);
	vec_done(&plain);
	return err;
}

static int show_line(const struct view *v, uint32_t line, uint64_t samples)
{
	int err;

	weight_show(v->out, v->annotation, samples, v->options);
	if (!line) {
		fputs("     -  code of no line\n", v->out);
		return 0;
	}
	fprintf(v->out, "%6" PRIu32 "%s", line, *text_of(v, line) ? "  " : "");
	err = write_text(v, text_of(v, line));
	putc('\n', v->out);
	return err;
}

/* Show the lines [@from, @end) of the loaded file as context, without samples. */
static int show_around(const struct view *v, uint32_t from, uint32_t end)
{
	int err = 0;

	for (; from < end && from < v->text.nr && !err; from++)
		err = show_line(v, from, 0);
	return err;
}

/* Show @s and its context within the lines [@next, @until). Returns the first line not shown yet, or -ENOMEM. */
static int64_t show_near(const struct view *v, const struct source_line *s, uint32_t next, uint32_t until)
{
	uint32_t from = s->line > CONTEXT ? s->line - CONTEXT : 1, behind = s->line + 1 + CONTEXT;
	int err;

	if (!s->line)
		return show_line(v, 0, s->samples) ? -ENOMEM : 0;
	if (next && from > next)
		fprintf(v->out, "%21s   ...\n", "");
	err = show_around(v, from > next ? from : next, s->line);
	if (!err)
		err = show_line(v, s->line, s->samples);
	behind = behind < until ? behind : until;
	return err || show_around(v, s->line + 1, behind) ? -ENOMEM : behind;
}

/* Show v->lines [@i, @end), all of one file, with their context. */
static int show_file(struct view *v, size_t i, size_t end)
{
	const char *path = v->code->files[v->lines.v[i].file];
	int64_t next = 0; /* the first line that is not shown yet */
	int failed, err = load(v, path, &failed);

	if (err)
		return err;
	fputs("# source:    ", v->out);
	text_write(v->out, path, TEXT_TERMINAL);
	if (failed)
		fprintf(v->out, ": %s", strerror(-failed));
	putc('\n', v->out);
	for (; i < end && next >= 0 && !ferror(v->out); i++)
		next = show_near(v, &v->lines.v[i], next, i + 1 < end ? v->lines.v[i + 1].line : UINT32_MAX);
	return next < 0 ? next : 0;
}

static int show_text(struct view *v)
{
	int err = 0;

	fputs("#   Self    Samples    Line  Source\n", v->out);
	for (size_t i = 0, end; i < v->lines.nr && !err; i = end) {
		for (end = i; end < v->lines.nr && v->lines.v[end].file == v->lines.v[i].file;)
			end++;
		err = show_file(v, i, end);
	}
	return err;
}

static void show_row(const struct view *v, const struct source_line *s)
{
	weight_show(v->out, v->annotation, s->samples, v->options);
	putc(',', v->out);
	text_csv(v->out, v->code->files[s->file]);
	fprintf(v->out, ",%" PRIu32 ",", s->line);
	text_csv(v->out, text_of(v, s->line));
	putc('\n', v->out);
}

static void show_object(const struct view *v, const struct source_line *s)
{
	struct json j = {.out = v->out};

	json_object(&j, NULL);
	json_double(&j, "self_percent", v->annotation->samples ? 100.0 * s->samples / v->annotation->samples : 0);
	json_u64(&j, "self", s->samples);
	json_string(&j, "file", v->code->files[s->file]);
	json_u64(&j, "line", s->line);
	json_string(&j, "source", text_of(v, s->line));
	json_object_end(&j);
	putc('\n', v->out);
}

static int show_data(struct view *v)
{
	bool csv = v->options->form == SHOW_CSV;
	int err = 0, failed;

	fputs(csv ? "self_percent,self,file,line,source\n"
		  : "{\"schema\":\"dusk-source-1\","
		    "\"columns\":[\"self_percent\",\"self\",\"file\",\"line\",\"source\"]}\n",
	      v->out);
	for (size_t i = 0; i < v->lines.nr && !err && !ferror(v->out); i++) {
		if (!i || v->lines.v[i].file != v->lines.v[i - 1].file)
			err = load(v, v->code->files[v->lines.v[i].file], &failed);
		if (!err)
			(csv ? show_row : show_object)(v, &v->lines.v[i]);
	}
	return err;
}

int source_show(FILE *out, const struct annotation *a, const struct dusk_code *c, const struct show_options *o)
{
	struct view v = {.out = out, .annotation = a, .code = c, .options = o};
	int err = collect(&v);

	if (!err)
		err = o->form == SHOW_TEXT ? show_text(&v) : show_data(&v);
	vec_done(&v.lines);
	vec_done(&v.text);
	free(v.of_file);
	free(v.bytes);
	return err;
}
