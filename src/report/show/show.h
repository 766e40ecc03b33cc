/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How do tables and trees look on paper: as text for people, as CSV and NDJSON for programs?
 *
 * CSV has its columns in the first line; so has NDJSON, as {"schema":"dusk-table-1","columns":[...]}. Whether @out
 * took it all is for its owner to ask, by ferror().
 */
#pragma once
#include <stdio.h>
#include "report/model/diff.h"
#include "report/model/table.h"
#include "report/model/tree.h"

enum show_form { SHOW_TEXT, SHOW_CSV, SHOW_NDJSON };

struct show_options {
	enum show_form form;
	enum key column[NR_KEYS]; /* from left to right */
	size_t nr_columns;
	bool chosen;	      /* tables have these columns only; else those of weight come before them */
	bool no_total;	      /* of weight, only self */
	enum time_base kind;  /* of what is shown */
	double percent_limit; /* rows with less in total are not shown; trees come cut to size */
	uint64_t max_rows;    /* 0: all */
	bool color, ascii;    /* of text */
};

void table_show(FILE *out, const struct table *t, const struct show_options *o);

/* @o->column names the keys of tasks, if there are any. 0 or -ENOMEM. */
int tree_show(FILE *out, const struct tree *t, enum tree_direction direction, const struct show_options *o);

/* Rows that changed by @o->percent_limit at least: percentage points, or percent of all time BEFORE. 0 or -ENOMEM. */
int diff_show(FILE *out, const struct diff *d, const struct show_options *o);

/* What was recorded, as lines of comment above a view of @kind; @selected: by source, what the view shows. */
void header_show(FILE *out, const struct dusk_profile *p, enum time_base kind, const struct amount selected[2]);

/* What of @kind was lost, below a view: nothing if nothing was. */
void losses_show(FILE *out, const struct dusk_profile *p, enum time_base kind);

/* The event that took the samples, and why it was not another. */
const char *event_sentence(const char *event);

/* The cell of @key in a row, as text in @buffer or elsewhere. @label may be UINT32_MAX: none. */
const char *cell(char *buffer, size_t size, enum key key, const struct group *g, const struct labels *l,
		 uint32_t label);
const char *key_name(enum key key);

/* What the column of @key is called in data: times are in milliseconds, and say so. */
const char *column_name(enum key key, enum measure by);

static inline bool is_time(enum key key, enum measure by)
{
	return key & (KEY_RUNNABLE | KEY_AVERAGE | KEY_LONGEST) || (key & (KEY_SELF | KEY_TOTAL) && by != BY_COUNT);
}

/* Colour of a percentage, as perf has it; both "" without colour. */
const char *color_of(bool color, double percent);
const char *color_end(bool color, double percent);
