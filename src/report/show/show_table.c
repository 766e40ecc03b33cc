/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Print a table. See show.h. */
#include <inttypes.h>
#include <string.h>
#include "base/json.h"
#include "report/show/short_name.h"
#include "report/show/show.h"
#include "report/text.h"

#define MAX_WIDTH 60  /* of a column: longer texts that are not shortened push the rest of their line to the right */
#define TEXT_WIDTH 40 /* of the texts of a row; with less, columns of weight are left out */
#define MODULE_WIDTH 16
#define MIN_WIDTH 10 /* to which columns are shortened for a terminal, if their texts are longer */

struct view {
	FILE *out;
	const struct table *table;
	const struct show_options *options;
	enum key column[NR_KEYS];
	size_t nr_columns;
	bool by_total; /* there is a column of totals: rows are shown if their total is large enough, else by self */
	int width[NR_KEYS];
};

static double percent(const struct view *v, uint64_t weight)
{
	return v->table->all ? 100.0 * weight / v->table->all : 0;
}

static const char *field(const struct view *v, char buffer[32], size_t column, const struct table_row *r)
{
	const struct groups *g = v->table->groups;

	if (v->column[column] == KEY_TIME) {
		time_bucket_text(&g->time, g->v[r->group].time_ns, buffer);
		return buffer;
	}
	return cell(buffer, 32, v->column[column], &g->v[r->group], v->table->labels, r->label);
}

/* The number in the column @key; times are in nanoseconds. */
static uint64_t weight(enum key key, const struct table_row *r)
{
	switch (key) {
	case KEY_SELF:
	case KEY_SELF_PERCENT: return r->self;
	case KEY_COUNT: return r->of_total.count;
	case KEY_RUNNABLE: return r->of_total.runnable_ns;
	case KEY_AVERAGE: return average_ns(&r->of_total);
	case KEY_LONGEST: return r->of_total.longest_ns;
	default: return r->total;
	}
}

static bool in_ms(const struct view *v, enum key key)
{
	return is_time(key, v->table->by);
}

static bool shown(const struct view *v, const struct table_row *r)
{
	uint64_t weight = v->by_total ? r->total : r->self;

	return weight && percent(v, weight) >= v->options->percent_limit;
}

/* Return the next row to show after @r (NULL: the first one), or NULL at the end. *@nr counts the rows returned. */
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

static const char *title(const struct view *v, enum key key)
{
	bool ms = in_ms(v, key);

	switch (key) {
	case KEY_COMM: return "Command";
	case KEY_PID: return "Pid";
	case KEY_TID: return "Tid";
	case KEY_DSO: return "Module";
	case KEY_FUNCTION: return "Function";
	case KEY_LINE: return "Line";
	case KEY_STATE: return "State";
	case KEY_TIME: return "Time";
	case KEY_SERVICE: return "Service";
	case KEY_UNIT: return "Unit";
	case KEY_CONTAINER: return "Container";
	case KEY_POD: return "Pod";
	case KEY_NAMESPACE: return "Namespace";
	case KEY_VERSION: return "Version";
	case KEY_CGROUP: return "Cgroup";
	case KEY_HOST: return "Host";
	case KEY_SELF_PERCENT: return "Self";
	case KEY_TOTAL_PERCENT: return "Total";
	case KEY_SELF:
		return ms									      ? "Self ms"
		       : v->options->kind == TIME_BASE_OFF_CPU || v->options->kind == TIME_BASE_EVENT ? "Self nr"
												      : "Samples";
	case KEY_COUNT: return v->options->kind == TIME_BASE_OFF_CPU ? "Intervals" : "Inclusive";
	case KEY_RUNNABLE: return "Runnable ms";
	case KEY_AVERAGE: return "Average ms";
	case KEY_LONGEST: return "Longest ms";
	default: return ms ? "Total ms" : "Inclusive";
	}
}

/* Is the table made to fit a terminal? */
static bool fits(const struct view *v)
{
	return v->options->width && !v->options->full_names;
}

/* How many columns of the terminal are left? */
static int room_of(const struct view *v)
{
	int room = v->options->width - (v->column[0] & KEYS_OF_WEIGHT ? 0 : 2) - 2 * ((int)v->nr_columns - 1);

	for (size_t i = 0; i < v->nr_columns; i++)
		room -= v->width[i];
	return room;
}

/* Make columns of weight as narrow as their titles and numbers. */
static void fit_weights(struct view *v)
{
	const struct table_row *r = NULL;
	uint64_t nr = 0;

	for (size_t i = 0; i < v->nr_columns; i++)
		if (v->column[i] & KEYS_OF_WEIGHT && !(v->column[i] & KEYS_OF_PERCENT))
			v->width[i] = strlen(title(v, v->column[i])) + !i;
	while ((r = next(v, r, &nr)))
		for (size_t i = 0; i < v->nr_columns; i++) {
			uint64_t n = weight(v->column[i], r);
			int width = 0;

			if (in_ms(v, v->column[i]))
				width = snprintf(NULL, 0, "%.3f", n / 1e6);
			else if (v->column[i] & KEYS_OF_WEIGHT && !(v->column[i] & KEYS_OF_PERCENT))
				width = snprintf(NULL, 0, "%" PRIu64, n);
			if (width > v->width[i])
				v->width[i] = width;
		}
}

/* Leave out columns that nobody has chosen if the texts would have little room. */
static void drop_column(struct view *v, enum key key)
{
	int room = room_of(v);
	size_t nr = 0;

	for (size_t i = 0; i < v->nr_columns; i++)
		room += v->column[i] & KEYS_OF_WEIGHT ? 0 : v->width[i];
	if (v->options->chosen || room_of(v) >= 0 || room >= TEXT_WIDTH)
		return;
	for (size_t i = 0; i < v->nr_columns; i++)
		if (v->column[i] != key) {
			v->column[nr] = v->column[i];
			v->width[nr++] = v->width[i];
		}
	v->nr_columns = nr;
}

/* The column to make narrower: the widest one of @keys that is wider than @least, or NULL. */
static int *widest(struct view *v, unsigned int keys, int least)
{
	int *found = NULL;

	for (size_t i = 0; i < v->nr_columns; i++)
		if (v->column[i] & keys && v->width[i] > (found ? *found : least))
			found = &v->width[i];
	return found;
}

/* If the table does not fit the terminal, make columns narrower: those of functions last. */
static void fit(struct view *v)
{
	if (room_of(v) >= 0)
		return;
	fit_weights(v);
	drop_column(v, KEY_LONGEST);
	drop_column(v, KEY_COUNT);
	for (int room = room_of(v); room < 0; room++) {
		int *column = widest(v, KEYS_OF_ROWS & ~KEY_FUNCTION, MODULE_WIDTH);

		if (!column)
			column = widest(v, KEYS_OF_ROWS, MIN_WIDTH);
		if (!column)
			return;
		--*column;
	}
}

/* The text of a cell, shortened to its column; elsewhere than on a terminal that is done for functions only. */
static const char *short_field(const struct view *v, char *buffer, size_t column, const struct table_row *r)
{
	char number[32];
	const char *text = field(v, number, column, r);

	if (text == number)
		return strcpy(buffer, number);
	if (v->options->full_names || (!fits(v) && v->column[column] != KEY_FUNCTION))
		return text;
	return short_name(text, v->width[column], buffer);
}

static void measure(struct view *v)
{
	const struct table_row *r = NULL;
	uint64_t nr = 0;
	char buffer[32];

	for (size_t i = 0; i < v->nr_columns; i++) {
		v->width[i] = strlen(title(v, v->column[i]));
		if (v->column[i] & KEYS_OF_WEIGHT)
			v->width[i] = v->column[i] & KEYS_OF_PERCENT ? 8 : in_ms(v, v->column[i]) ? 12 : 9;
	}
	while ((r = next(v, r, &nr)))
		for (size_t i = 0; i < v->nr_columns; i++) {
			size_t width;

			if (v->column[i] & KEYS_OF_WEIGHT)
				continue;
			width = text_width(field(v, buffer, i, r), TEXT_TERMINAL);
			if (!fits(v) && width > MAX_WIDTH)
				width = MAX_WIDTH;
			if ((int)width > v->width[i])
				v->width[i] = width;
		}
	if (fits(v))
		fit(v);
}

/* Pad a text of @width to the width of its column. The last column is not padded: no blanks at line ends. */
static void pad(const struct view *v, size_t column, size_t width)
{
	if (column + 1 < v->nr_columns)
		fprintf(v->out, "%*s  ", width < v->width[column] ? v->width[column] - (int)width : 0, "");
}

/* The '#' takes the place of a leading blank of the first column. */
static void show_titles(const struct view *v)
{
	fputs(v->column[0] & KEYS_OF_WEIGHT ? "#" : "# ", v->out);
	for (size_t i = 0; i < v->nr_columns; i++) {
		const char *text = title(v, v->column[i]);
		int width = v->column[i] & KEYS_OF_WEIGHT ? v->width[i] - !i : 0;

		fprintf(v->out, "%*s", width, text);
		pad(v, i, width ? v->width[i] : strlen(text));
	}
	putc('\n', v->out);
}

static void show_cell(const struct view *v, size_t column, const struct table_row *r)
{
	enum key key = v->column[column];
	char buffer[SHORT_NAME_ROOM];
	const char *text;
	double p;

	if (key & KEYS_OF_PERCENT) {
		p = percent(v, weight(key, r));
		fprintf(v->out, "%s%7.2f%%%s", color_of(v->options->color, p), p, color_end(v->options->color, p));
		pad(v, column, v->width[column]);
	} else if (in_ms(v, key)) {
		fprintf(v->out, "%*.3f", v->width[column], weight(key, r) / 1e6);
		pad(v, column, v->width[column]);
	} else if (key & KEYS_OF_WEIGHT) {
		fprintf(v->out, "%*" PRIu64, v->width[column], weight(key, r));
		pad(v, column, v->width[column]);
	} else {
		text = short_field(v, buffer, column, r);
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
		fprintf(v->out, "%s%s", i ? "," : "", column_name(v->column[i], v->table->by));
	putc('\n', v->out);
	while ((r = next(v, r, &nr)) && !ferror(v->out)) {
		for (size_t i = 0; i < v->nr_columns; i++) {
			enum key key = v->column[i];
			char buffer[32];

			if (i)
				putc(',', v->out);
			if (key & KEYS_OF_PERCENT)
				fprintf(v->out, "%.4f", percent(v, weight(key, r)));
			else if (in_ms(v, key))
				fprintf(v->out, "%.6f", weight(key, r) / 1e6);
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
		json_string(&j, NULL, column_name(v->column[i], v->table->by));
	json_array_end(&j);
	json_object_end(&j);
	putc('\n', v->out);
}

static void show_member(const struct view *v, struct json *j, size_t column, const struct table_row *r)
{
	enum key key = v->column[column];
	const struct group *g = &v->table->groups->v[r->group];
	const char *name = column_name(key, v->table->by);
	char buffer[32];

	if (key & KEYS_OF_PERCENT)
		json_double(j, name, percent(v, weight(key, r)));
	else if (in_ms(v, key))
		json_double(j, name, weight(key, r) / 1e6);
	else if (key & KEYS_OF_WEIGHT)
		json_u64(j, name, weight(key, r));
	else if (key & (KEY_PID | KEY_TID))
		json_i64(j, name, key == KEY_PID ? g->pid : g->tid);
	else
		json_string(j, name, field(v, buffer, column, r));
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
	v->by_total |= key & (KEY_TOTAL | KEY_TOTAL_PERCENT | KEYS_OF_AMOUNT);
}

/* Only the innermost function of an off-CPU stack has self time, so the total shows how long the others waited. */
static void choose_weights(struct view *v)
{
	const struct show_options *o = v->options;
	bool total = v->table->labels && !o->no_total, off = o->kind == TIME_BASE_OFF_CPU;

	add_column(v, KEY_SELF_PERCENT);
	if (total)
		add_column(v, KEY_TOTAL_PERCENT);
	if (!off || !total || o->form != SHOW_TEXT)
		add_column(v, KEY_SELF);
	if (total && (off || o->form != SHOW_TEXT))
		add_column(v, KEY_TOTAL);
	if (!off || o->no_total)
		return;
	if (v->table->by != BY_COUNT)
		add_column(v, KEY_COUNT);
	if (o->form != SHOW_TEXT)
		add_column(v, KEY_RUNNABLE);
	add_column(v, KEY_LONGEST);
}

static void choose_columns(struct view *v)
{
	const struct show_options *o = v->options;

	if (!o->chosen)
		choose_weights(v);
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
