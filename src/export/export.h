/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Export profiles to foreign formats. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <dusk/dusk.h>
#include "report/model/aggregate.h"
#include "report/model/thread_label.h"

struct export_options {
	bool pid, tid;	 /* folded: distinguish tasks by PID and TID as well, not by name only */
	bool annotate;	 /* folded: mark kernel functions with _[k] */
	bool reverse;	 /* folded: write stacks from the innermost function to the outermost, and the task last */
	enum measure by; /* folded: the sum to write; times are in nanoseconds */
	bool deferred;	 /* perf: write user stacks as separate records */
	struct thread_labels by_label; /* folded: stacks begin with these */
	bool methods;		       /* script: show for each frame how its caller was found */
};

#define EXPORT_SUFFIXES 2

struct export_format {
	const char *name;
	const char *suffixes[EXPORT_SUFFIXES]; /* of files, without the dot before them; NULL: no more */
	const char *sentence;
	const char *dropped;	    /* what the format cannot hold, to be reported; NULL: nothing unexpected */
	const char *dropped_offcpu; /* the same of off-CPU intervals */
	bool binary;		    /* not written to terminals */
	bool events;		    /* the format can hold occurrences of events */
	enum time_base usual;	    /* what is written by default */

	/* Returns 0 or -ENOMEM. Stops early on write errors, for which the caller checks @out. */
	int (*write)(FILE *out, const struct dusk_profile *p, const struct export_options *o);
};

/* All formats, terminated by one without a name. */
extern const struct export_format export_formats[];

/* Return the format @name, or NULL. */
const struct export_format *export_find(const char *name);

/* Return the format for the suffix of @path, or NULL. */
const struct export_format *export_find_suffix(const char *path);

/* Write the JSON Schema of the lines of the format jsonl. */
void jsonl_schema(FILE *out);

int firefox_write(FILE *out, const struct dusk_profile *p, const struct export_options *o);
int folded_write(FILE *out, const struct dusk_profile *p, const struct export_options *o);
int jsonl_write(FILE *out, const struct dusk_profile *p, const struct export_options *o);
int nested_set_write(FILE *out, const struct dusk_profile *p, const struct export_options *o);
int otlp_write(FILE *out, const struct dusk_profile *p, const struct export_options *o);
int perf_write(FILE *out, const struct dusk_profile *p, const struct export_options *o);
int perfetto_write(FILE *out, const struct dusk_profile *p, const struct export_options *o);
int pprof_write(FILE *out, const struct dusk_profile *p, const struct export_options *o);
int script_write(FILE *out, const struct dusk_profile *p, const struct export_options *o);
int speedscope_write(FILE *out, const struct dusk_profile *p, const struct export_options *o);
