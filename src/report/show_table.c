/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How does a table look on paper? See show.h. */
#include <inttypes.h>
#include <string.h>
#include "base/json.h"
#include "report/show.h"
#include "report/text.h"

#define MAX_WIDTH 60	/* of a column: longer names push the rest of their line to the right */

struct view {
	FILE *out;
	const struct table *table;
	const struct show_options *options;
	bool total;
	int width[6];
};

static double percent(const struct view *v, uint64_t samples)
{
	return v->table->samples ? 100.0 * samples / v->table->samples : 0;
}

static const char *field(const struct view *v, char buffer[32], size_t column, const struct table_row *r)
{
	return cell(buffer, 32, v->options->column[column], &v->table->groups->v[r->group], v->table->labels, r->label);
}

static bool shown(const struct view *v, const struct table_row *r)
{
	uint64_t weight = v->total ? r->total : r->self;

	return weight && percent(v, weight) >= v->options->percent_limit;
}

/* The next row to show after @r; NULL before the first, NULL after the last. @nr counts the rows given out. */
static const struct table_row *next(const struct view *v, const struct table_row *r, uint64_t *nr)
{
	const struct table_row *end = v->table->rows + v->table->nr;

	if (v->options->max_rows && *nr == v->options->max_rows)
		return NULL;
	for (r = r ? r + 1 : v->table->rows; r < end; r++)
		if (shown(v, r)) {
			++*nr;
			return r;
		}
	return NULL;
}

static const char *title(enum key key)
{
	switch (key) {
	case KEY_COMM: return "Command";
	case KEY_PID: return "Pid";
	case KEY_TID: return "Tid";
	case KEY_DSO: return "Module";
	case KEY_LINE: return "Line";
	default: return "Function";
	}
}

static void measure(struct view *v)
{
	const struct show_options *o = v->options;
	const struct table_row *r = NULL;
	uint64_t nr = 0;
	char buffer[32];

	for (size_t i = 0; i < o->nr_columns; i++)
		v->width[i] = strlen(title(o->column[i]));
	while ((r = next(v, r, &nr)))
		for (size_t i = 0; i < o->nr_columns; i++) {
			size_t width = text_width(field(v, buffer, i, r), TEXT_TERMINAL);

			if (width > MAX_WIDTH)
				width = MAX_WIDTH;
			if ((int)width > v->width[i])
				v->width[i] = width;
		}
}

/* The last column is as long as it is: no blanks at the end of lines. */
static void pad(const struct view *v, size_t column, size_t width)
{
	if (column + 1 < v->options->nr_columns)
		fprintf(v->out, "%*s  ", width < v->width[column] ? v->width[column] - (int)width : 0, "");
}

static void show_percent(const struct view *v, uint64_t samples)
{
	double p = percent(v, samples);

	fprintf(v->out, "%s%7.2f%%%s  ", color_of(v->options->color, p), p, color_end(v->options->color, p));
}

static void show_text(struct view *v)
{
	const struct show_options *o = v->options;
	const struct table_row *r = NULL;
	uint64_t nr = 0;

	measure(v);
	fputs("#   Self  ", v->out);
	if (v->total)
		fputs("   Total  ", v->out);
	fputs("  Samples  ", v->out);
	for (size_t i = 0; i < o->nr_columns; i++) {
		fputs(title(o->column[i]), v->out);
		pad(v, i, strlen(title(o->column[i])));
	}
	putc('\n', v->out);
	while ((r = next(v, r, &nr)) && !ferror(v->out)) {
		show_percent(v, r->self);
		if (v->total)
			show_percent(v, r->total);
		fprintf(v->out, "%9" PRIu64 "  ", r->self);
		for (size_t i = 0; i < o->nr_columns; i++) {
			char buffer[32];
			const char *text = field(v, buffer, i, r);

			text_write(v->out, text, TEXT_TERMINAL);
			pad(v, i, text_width(text, TEXT_TERMINAL));
		}
		putc('\n', v->out);
	}
	if (nr < v->table->nr && !o->no_total)
		fprintf(v->out, "# %" PRIu64 " of %zu rows; --limit and --percent-limit choose\n", nr, v->table->nr);
}

static void show_csv(const struct view *v)
{
	const struct show_options *o = v->options;
	const struct table_row *r = NULL;
	uint64_t nr = 0;

	fputs(v->total ? "self_percent,total_percent,self,total" : "self_percent,self", v->out);
	for (size_t i = 0; i < o->nr_columns; i++)
		fprintf(v->out, ",%s", key_name(o->column[i]));
	putc('\n', v->out);
	while ((r = next(v, r, &nr)) && !ferror(v->out)) {
		fprintf(v->out, "%.4f,", percent(v, r->self));
		if (v->total)
			fprintf(v->out, "%.4f,%" PRIu64 ",%" PRIu64, percent(v, r->total), r->self, r->total);
		else
			fprintf(v->out, "%" PRIu64, r->self);
		for (size_t i = 0; i < o->nr_columns; i++) {
			char buffer[32];

			putc(',', v->out);
			text_csv(v->out, field(v, buffer, i, r));
		}
		putc('\n', v->out);
	}
}

static void show_schema(const struct view *v)
{
	struct json j = {.out = v->out};

	json_object(&j, NULL);
	json_string(&j, "schema", "dusk-table-1");
	json_array(&j, "columns");
	json_string(&j, NULL, "self_percent");
	if (v->total)
		json_string(&j, NULL, "total_percent");
	json_string(&j, NULL, "self");
	if (v->total)
		json_string(&j, NULL, "total");
	for (size_t i = 0; i < v->options->nr_columns; i++)
		json_string(&j, NULL, key_name(v->options->column[i]));
	json_array_end(&j);
	json_object_end(&j);
	putc('\n', v->out);
}

static void show_field(const struct view *v, struct json *j, size_t column, const struct table_row *r)
{
	enum key key = v->options->column[column];
	const struct group *g = &v->table->groups->v[r->group];
	char buffer[32];

	if (key & (KEY_PID | KEY_TID))
		json_i64(j, key_name(key), key == KEY_PID ? g->pid : g->tid);
	else
		json_string(j, key_name(key), field(v, buffer, column, r));
}

static void show_ndjson(const struct view *v)
{
	const struct table_row *r = NULL;
	uint64_t nr = 0;

	show_schema(v);
	while ((r = next(v, r, &nr)) && !ferror(v->out)) {
		struct json j = {.out = v->out};

		json_object(&j, NULL);
		json_double(&j, "self_percent", percent(v, r->self));
		if (v->total)
			json_double(&j, "total_percent", percent(v, r->total));
		json_u64(&j, "self", r->self);
		if (v->total)
			json_u64(&j, "total", r->total);
		for (size_t i = 0; i < v->options->nr_columns; i++)
			show_field(v, &j, i, r);
		json_object_end(&j);
		putc('\n', v->out);
	}
}

void table_show(FILE *out, const struct table *t, const struct show_options *o)
{
	struct view v = {.out = out, .table = t, .options = o, .total = t->labels && !o->no_total};

	switch (o->form) {
	case SHOW_TEXT: show_text(&v); break;
	case SHOW_CSV: show_csv(&v); break;
	case SHOW_NDJSON: show_ndjson(&v); break;
	}
}
