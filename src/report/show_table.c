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
	enum key column[NR_KEYS];
	size_t nr_columns;
	bool by_total;			/* rows are worth showing for their total */
	int width[NR_KEYS];
};

static double percent(const struct view *v, uint64_t samples)
{
	return v->table->samples ? 100.0 * samples / v->table->samples : 0;
}

static const char *field(const struct view *v, char buffer[32], size_t column, const struct table_row *r)
{
	return cell(buffer, 32, v->column[column], &v->table->groups->v[r->group], v->table->labels, r->label);
}

static uint64_t weight(enum key key, const struct table_row *r)
{
	return key & (KEY_SELF | KEY_SELF_PERCENT) ? r->self : r->total;
}

static bool shown(const struct view *v, const struct table_row *r)
{
	uint64_t samples = v->by_total ? r->total : r->self;

	return samples && percent(v, samples) >= v->options->percent_limit;
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
	case KEY_FUNCTION: return "Function";
	case KEY_LINE: return "Line";
	case KEY_SELF_PERCENT: return "Self";
	case KEY_TOTAL_PERCENT: return "Total";
	case KEY_SELF: return "Samples";
	default: return "Inclusive";
	}
}

static void measure(struct view *v)
{
	const struct table_row *r = NULL;
	uint64_t nr = 0;
	char buffer[32];

	for (size_t i = 0; i < v->nr_columns; i++) {
		v->width[i] = strlen(title(v->column[i]));
		if (v->column[i] & KEYS_OF_WEIGHT)
			v->width[i] = v->column[i] & (KEY_SELF | KEY_TOTAL) ? 9 : 8;
	}
	while ((r = next(v, r, &nr)))
		for (size_t i = 0; i < v->nr_columns; i++) {
			size_t width;

			if (v->column[i] & KEYS_OF_WEIGHT)
				continue;
			width = text_width(field(v, buffer, i, r), TEXT_TERMINAL);
			if (width > MAX_WIDTH)
				width = MAX_WIDTH;
			if ((int)width > v->width[i])
				v->width[i] = width;
		}
}

/* What comes after a text of @width in its column: no blanks at the end of lines. */
static void pad(const struct view *v, size_t column, size_t width)
{
	if (column + 1 < v->nr_columns)
		fprintf(v->out, "%*s  ", width < v->width[column] ? v->width[column] - (int)width : 0, "");
}

/* The # takes the place of the first column's blanks. */
static void show_titles(const struct view *v)
{
	fputs(v->column[0] & KEYS_OF_WEIGHT ? "#" : "# ", v->out);
	for (size_t i = 0; i < v->nr_columns; i++) {
		const char *text = title(v->column[i]);
		int width = v->column[i] & KEYS_OF_WEIGHT ? v->width[i] - !i : 0;

		fprintf(v->out, "%*s", width, text);
		pad(v, i, width ? v->width[i] : strlen(text));
	}
	putc('\n', v->out);
}

static void show_cell(const struct view *v, size_t column, const struct table_row *r)
{
	enum key key = v->column[column];
	char buffer[32];
	const char *text;
	double p;

	if (key & (KEY_SELF_PERCENT | KEY_TOTAL_PERCENT)) {
		p = percent(v, weight(key, r));
		fprintf(v->out, "%s%7.2f%%%s", color_of(v->options->color, p), p, color_end(v->options->color, p));
		pad(v, column, v->width[column]);
	} else if (key & KEYS_OF_WEIGHT) {
		fprintf(v->out, "%9" PRIu64, weight(key, r));
		pad(v, column, v->width[column]);
	} else {
		text = field(v, buffer, column, r);
		text_write(v->out, text, TEXT_TERMINAL);
		pad(v, column, text_width(text, TEXT_TERMINAL));
	}
}

static void show_text(struct view *v)
{
	const struct table_row *r = NULL;
	uint64_t nr = 0;

	measure(v);
	show_titles(v);
	while ((r = next(v, r, &nr)) && !ferror(v->out)) {
		if (!(v->column[0] & KEYS_OF_WEIGHT))
			fputs("  ", v->out);
		for (size_t i = 0; i < v->nr_columns; i++)
			show_cell(v, i, r);
		putc('\n', v->out);
	}
	if (nr < v->table->nr && !v->options->no_total)
		fprintf(v->out, "# %" PRIu64 " of %zu rows; --limit and --percent-limit choose\n", nr, v->table->nr);
}

static void show_csv(const struct view *v)
{
	const struct table_row *r = NULL;
	uint64_t nr = 0;

	for (size_t i = 0; i < v->nr_columns; i++)
		fprintf(v->out, "%s%s", i ? "," : "", key_name(v->column[i]));
	putc('\n', v->out);
	while ((r = next(v, r, &nr)) && !ferror(v->out)) {
		for (size_t i = 0; i < v->nr_columns; i++) {
			enum key key = v->column[i];
			char buffer[32];

			if (i)
				putc(',', v->out);
			if (key & (KEY_SELF_PERCENT | KEY_TOTAL_PERCENT))
				fprintf(v->out, "%.4f", percent(v, weight(key, r)));
			else if (key & KEYS_OF_WEIGHT)
				fprintf(v->out, "%" PRIu64, weight(key, r));
			else
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
	for (size_t i = 0; i < v->nr_columns; i++)
		json_string(&j, NULL, key_name(v->column[i]));
	json_array_end(&j);
	json_object_end(&j);
	putc('\n', v->out);
}

static void show_member(const struct view *v, struct json *j, size_t column, const struct table_row *r)
{
	enum key key = v->column[column];
	const struct group *g = &v->table->groups->v[r->group];
	char buffer[32];

	if (key & (KEY_SELF_PERCENT | KEY_TOTAL_PERCENT))
		json_double(j, key_name(key), percent(v, weight(key, r)));
	else if (key & KEYS_OF_WEIGHT)
		json_u64(j, key_name(key), weight(key, r));
	else if (key & (KEY_PID | KEY_TID))
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
		for (size_t i = 0; i < v->nr_columns; i++)
			show_member(v, &j, i, r);
		json_object_end(&j);
		putc('\n', v->out);
	}
}

static void add_column(struct view *v, enum key key)
{
	v->column[v->nr_columns++] = key;
	v->by_total |= key & (KEY_TOTAL | KEY_TOTAL_PERCENT);
}

static void choose_columns(struct view *v)
{
	const struct show_options *o = v->options;
	bool total = v->table->labels && !o->no_total;

	if (!o->chosen) {
		add_column(v, KEY_SELF_PERCENT);
		if (total)
			add_column(v, KEY_TOTAL_PERCENT);
		add_column(v, KEY_SELF);
		if (total && o->form != SHOW_TEXT)
			add_column(v, KEY_TOTAL);
	}
	for (size_t i = 0; i < o->nr_columns; i++)
		add_column(v, o->column[i]);
}

void table_show(FILE *out, const struct table *t, const struct show_options *o)
{
	struct view v = {.out = out, .table = t, .options = o};

	choose_columns(&v);
	switch (o->form) {
	case SHOW_TEXT: show_text(&v); break;
	case SHOW_CSV: show_csv(&v); break;
	case SHOW_NDJSON: show_ndjson(&v); break;
	}
}
