/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Print tables, trees and diffs: as text for people, as CSV and NDJSON for programs.
 *
 * The first line of CSV names the columns, and so does that of NDJSON: {"schema":"dusk-table-1","columns":[...]}.
 * These functions do not report write errors: the owner of @out checks ferror().
 */
#pragma once
#include <stdio.h>
#include "report/model/diff.h"
#include "report/model/filter.h"
#include "report/model/table.h"
#include "report/model/tree.h"

enum show_form { SHOW_TEXT, SHOW_CSV, SHOW_NDJSON };

struct show_options {
	enum show_form form;
	enum key column[NR_KEYS]; /* from left to right */
	size_t nr_columns;
	bool chosen;	      /* tables have only these columns; otherwise columns of weight come before them */
	bool no_total;	      /* show only self weights, no totals */
	enum time_base kind;  /* what the view counts */
	double percent_limit; /* rows with a smaller total are not shown; trees were cut already, by tree_new() */
	uint64_t max_rows;    /* 0: all */
	bool color, ascii;    /* for SHOW_TEXT */
	size_t width;	      /* for SHOW_TEXT: columns of the terminal; 0: it goes elsewhere */
	bool full_names;      /* for SHOW_TEXT: names are not shortened (short_name.h) */
};

void table_show(FILE *out, const struct table *t, const struct show_options *o);

/* @o->column: the keys of tasks by which roots are grouped, if there are any. Returns 0 or -ENOMEM. */
int tree_show(FILE *out, const struct tree *t, enum tree_direction direction, const struct show_options *o);

/*
 * Print rows that changed by at least @o->percent_limit: in percentage points, or in percent of all time BEFORE.
 * Returns 0 or -ENOMEM.
 */
int diff_show(FILE *out, const struct diff *d, const struct show_options *o);

/*
 * Print what was recorded as comment lines above a view of @kind. @selected: what the view shows, by source. @seen: the
 * filtered profile. @hint: if the view leaves out more time than it shows, say how to see it.
 */
void header_show(FILE *out, const struct dusk_profile *p, enum time_base kind, const struct amount selected[2],
		 const struct filtered *seen, bool hint);

/* Print what was lost of @kind as comment lines below a view; nothing if nothing was lost. */
void losses_show(FILE *out, const struct dusk_profile *p, enum time_base kind);

/* Print how often each event of tracefs has occurred, the most frequent first. Returns 0 or -ENOMEM. */
int events_show(FILE *out, const struct dusk_profile *p);

/* The name of the sampling event; for cpu-clock, also the reason why it was used. */
const char *event_sentence(const char *event);

/* The text of a row in the column @key, in @buffer or elsewhere. Only keys of frames use @l and @label. */
const char *cell(char *buffer, size_t size, enum key key, const struct group *g, const struct labels *l,
		 uint32_t label);
const char *key_name(enum key key);

/* The name of the column @key in CSV and NDJSON. Times are in milliseconds, and their names end in "_ms". */
const char *column_name(enum key key, enum measure by);

static inline bool is_time(enum key key, enum measure by)
{
	return key & (KEY_RUNNABLE | KEY_AVERAGE | KEY_LONGEST) || (key & (KEY_SELF | KEY_TOTAL) && by != BY_COUNT);
}

/* Escape sequences that begin and end the colour of a percentage, as in perf; both are "" if @color is false. */
const char *color_of(bool color, double percent);
const char *color_end(bool color, double percent);
