/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Print the difference of two profiles. See show.h. */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "base/json.h"
#include "base/vec.h"
#include "report/show/short_name.h"
#include "report/show/show.h"
#include "report/text.h"

#define MAX_WIDTH \
	60 /* of a function's column: longer names are shortened, or push the rest of their line to the right */
#define MIN_WIDTH 12
#define WEIGHTS_WIDTH 36 /* what is before the function */

struct view {
	FILE *out;
	const struct diff *diff;
	const struct show_options *options;
	struct vec(uint32_t) stack; /* numbers of names, from the innermost function outwards */
	struct vec(char) text;
	int width;
};

/* The smallest change that is shown, in the unit of the view. */
static double least(const struct view *v)
{
	const struct diff *d = v->diff;

	if (!d->options.absolute)
		return v->options->percent_limit;
	return v->options->percent_limit / 100 * d->samples[BEFORE] * d->sample_s[BEFORE];
}

/* The number of rows to show. Rows are sorted by the change that the limit applies to. */
static size_t nr_shown(const struct view *v)
{
	uint64_t max = v->options->max_rows ? v->options->max_rows : UINT64_MAX;
	double limit = least(v);
	size_t nr = 0;

	while (nr < v->diff->nr && nr < max && fabs(diff_delta(v->diff, &v->diff->rows[nr])) >= limit)
		nr++;
	return nr;
}

static const char *function(const struct view *v, uint32_t name)
{
	return strings_text(&v->diff->names, name);
}

static const char *module(const struct view *v, uint32_t name)
{
	return function(v, name) + strlen(function(v, name)) + 1;
}

/* The stack of @r as "main;code;match"; a ';' in a name becomes ':'. NULL: out of memory. */
static const char *stack_text(struct view *v, const struct diff_row *r)
{
	v->stack.nr = v->text.nr = 0;
	for (uint32_t at = r->key; at; at = v->diff->paths.v[at].parent)
		if (vec_push(&v->stack, v->diff->paths.v[at].name))
			return NULL;
	for (size_t i = v->stack.nr; i-- > 0;) {
		for (const char *s = function(v, v->stack.v[i]); *s; s++)
			if (vec_push(&v->text, *s == ';' ? ':' : *s))
				return NULL;
		if (vec_push(&v->text, i ? ';' : 0))
			return NULL;
	}
	return v->text.v;
}

static void show_weight(const struct view *v, double weight, bool sign)
{
	const char *unit = v->diff->options.absolute ? "s" : "%";
	int digits = v->diff->options.absolute ? 3 : 2;

	fprintf(v->out, sign ? "%+9.*f%s" : "%9.*f%s", digits, weight, unit);
}

static int show_line(struct view *v, const struct diff_row *r)
{
	double delta = diff_delta(v->diff, r);
	const char *mark = diff_mark(diff_chance(v->diff, r)), *text;
	char buffer[SHORT_NAME_ROOM];
	bool color = v->options->color && *mark;

	show_weight(v, diff_weight(v->diff, r, BEFORE), false);
	show_weight(v, diff_weight(v->diff, r, AFTER), false);
	fputs(!color ? "" : delta > 0 ? "\033[31m" : "\033[32m", v->out);
	show_weight(v, delta, true);
	fprintf(v->out, " %-3s%s  ", mark, color ? "\033[0m" : "");
	if (v->diff->options.stacks) {
		text = stack_text(v, r);
		if (!text)
			return -ENOMEM;
		text_write(v->out, text, TEXT_TERMINAL);
	} else {
		text = function(v, r->key);
		if (!v->options->full_names)
			text = short_name(text, v->width, buffer);
		text_write(v->out, text, TEXT_TERMINAL);
		if (*module(v, r->key)) {
			size_t width = text_width(text, TEXT_TERMINAL);

			fprintf(v->out, "%*s  ", width < (size_t)v->width ? v->width - (int)width : 0, "");
			text_write(v->out, module(v, r->key), TEXT_TERMINAL);
		}
	}
	putc('\n', v->out);
	return 0;
}

/* Choose the width of the column of functions: what is there, and on a terminal, what the modules leave. */
static void measure(struct view *v, size_t nr)
{
	int modules = strlen("Module"), room = MAX_WIDTH;

	v->width = strlen("Function");
	for (size_t i = 0; i < nr; i++) {
		const char *text = function(v, v->diff->rows[i].key);
		int width = text_width(text, TEXT_TERMINAL),
		    behind = text_width(module(v, v->diff->rows[i].key), TEXT_TERMINAL);

		if (width > v->width)
			v->width = width;
		if (behind > modules)
			modules = behind;
	}
	if (v->options->width && !v->options->full_names)
		room = (int)v->options->width - WEIGHTS_WIDTH - 2 - modules;
	if (v->width > room)
		v->width = room > MIN_WIDTH ? room : MIN_WIDTH;
}

static int show_text(struct view *v, size_t nr)
{
	bool stacks = v->diff->options.stacks;
	int err = 0;

	if (!stacks)
		measure(v, nr);
	fprintf(v->out, "#   Before     After     Delta      %s", stacks ? "Stack\n" : "Function");
	if (!stacks)
		fprintf(v->out, "%*s  Module\n", v->width - (int)strlen("Function"), "");
	for (size_t i = 0; i < nr && !err && !ferror(v->out); i++)
		err = show_line(v, &v->diff->rows[i]);
	if (nr < v->diff->nr)
		fprintf(v->out, "# %zu of %zu rows; --limit and --percent-limit choose\n", nr, v->diff->nr);
	return err;
}

/* By [BY_TIME][absolute]. Times were measured, not sampled, so they have no chance and no mark. */
static const char *const columns[2][2][8] = {
	{{"delta_percent", "before_percent", "after_percent", "before", "after", "chance", "mark", NULL},
	 {"delta_s", "before_s", "after_s", "before", "after", "chance", "mark", NULL}},
	{{"delta_percent", "before_percent", "after_percent", "before_ms", "after_ms", NULL},
	 {"delta_s", "before_s", "after_s", "before_ms", "after_ms", NULL}},
};

static const char *const *columns_of(const struct diff *d)
{
	return columns[d->options.by == BY_TIME][d->options.absolute];
}

static int show_csv(struct view *v, size_t nr)
{
	const struct diff *d = v->diff;

	for (const char *const *c = columns_of(d); *c; c++)
		fprintf(v->out, "%s,", *c);
	fputs(d->options.stacks ? "stack\n" : "function,dso\n", v->out);
	for (size_t i = 0; i < nr && !ferror(v->out); i++) {
		const struct diff_row *r = &d->rows[i];
		const char *name = d->options.stacks ? stack_text(v, r) : function(v, r->key);
		double chance = diff_chance(d, r);

		if (!name)
			return -ENOMEM;
		fprintf(v->out, "%.4f,%.4f,%.4f,", diff_delta(d, r), diff_weight(d, r, BEFORE),
			diff_weight(d, r, AFTER));
		if (d->options.by == BY_TIME)
			fprintf(v->out, "%.6f,%.6f,", r->count[BEFORE] / 1e6, r->count[AFTER] / 1e6);
		else
			fprintf(v->out, "%" PRIu64 ",%" PRIu64 ",%.4g,%s,", r->count[BEFORE], r->count[AFTER], chance,
				diff_mark(chance));
		text_csv(v->out, name);
		if (!d->options.stacks) {
			putc(',', v->out);
			text_csv(v->out, module(v, r->key));
		}
		putc('\n', v->out);
	}
	return 0;
}

static void show_schema(const struct view *v)
{
	struct json j = {.out = v->out};

	json_object(&j, NULL);
	json_string(&j, "schema", "dusk-diff-1");
	json_array(&j, "columns");
	for (const char *const *c = columns_of(v->diff); *c; c++)
		json_string(&j, NULL, *c);
	json_string(&j, NULL, v->diff->options.stacks ? "stack" : "function");
	if (!v->diff->options.stacks)
		json_string(&j, NULL, "dso");
	json_array_end(&j);
	json_object_end(&j);
	putc('\n', v->out);
}

static int show_ndjson(struct view *v, size_t nr)
{
	const struct diff *d = v->diff;
	const char *const *name = columns_of(d);

	show_schema(v);
	for (size_t i = 0; i < nr && !ferror(v->out); i++) {
		const struct diff_row *r = &d->rows[i];
		const char *text = d->options.stacks ? stack_text(v, r) : function(v, r->key);
		struct json j = {.out = v->out};

		if (!text)
			return -ENOMEM;
		json_object(&j, NULL);
		json_double(&j, name[0], diff_delta(d, r));
		json_double(&j, name[1], diff_weight(d, r, BEFORE));
		json_double(&j, name[2], diff_weight(d, r, AFTER));
		if (d->options.by == BY_TIME) {
			json_double(&j, name[3], r->count[BEFORE] / 1e6);
			json_double(&j, name[4], r->count[AFTER] / 1e6);
		} else {
			json_u64(&j, name[3], r->count[BEFORE]);
			json_u64(&j, name[4], r->count[AFTER]);
			json_double(&j, name[5], diff_chance(d, r));
			json_string(&j, name[6], diff_mark(diff_chance(d, r)));
		}
		json_string(&j, d->options.stacks ? "stack" : "function", text);
		if (!d->options.stacks)
			json_string(&j, "dso", module(v, r->key));
		json_object_end(&j);
		putc('\n', v->out);
	}
	return 0;
}

int diff_show(FILE *out, const struct diff *d, const struct show_options *o)
{
	struct view v = {.out = out, .diff = d, .options = o};
	size_t nr = nr_shown(&v);
	int err = 0;

	switch (o->form) {
	case SHOW_TEXT: err = show_text(&v, nr); break;
	case SHOW_CSV: err = show_csv(&v, nr); break;
	case SHOW_NDJSON: err = show_ndjson(&v, nr); break;
	}
	vec_done(&v.stack);
	vec_done(&v.text);
	return err;
}
