/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Into which foreign formats can a profile be written? */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <dusk/dusk.h>
#include "report/model/aggregate.h"

struct export_options {
	bool pid, tid;	 /* folded: tell tasks apart by these as well, not by name only */
	bool annotate;	 /* folded: mark kernel functions with _[k] */
	bool reverse;	 /* folded: from the innermost function to the outermost, the task last */
	enum measure by; /* folded: what is added up; times in nanoseconds */
	bool deferred;	 /* perf: user stacks in records of their own */
	bool methods;	 /* script: say of each frame how its caller was found */
};

#define EXPORT_SUFFIXES 2

struct export_format {
	const char *name;
	const char *suffixes[EXPORT_SUFFIXES]; /* of files, without the point before them; NULL: no more */
	const char *sentence;
	const char *dropped; /* what of a profile the format has no place for, to be told; NULL: nothing unexpected */
	const char *dropped_offcpu; /* the same of a profile that has off-CPU intervals */
	bool binary;		    /* no terminal shows it */
	bool events;		    /* it has a place for occurrences of events */
	enum time_base usual;	    /* what is written unless the user says else */

	/* 0 or -ENOMEM; errors of @out are its owner's to ask for. A stream that fails ends the work early. */
	int (*write)(FILE *out, const struct dusk_profile *p, const struct export_options *o);
};

/* All formats; the last one is followed by one without a name. */
extern const struct export_format export_formats[];

/* NULL: there is no such format. */
const struct export_format *export_find(const char *name);

/* The format that the end of @path stands for, or NULL. */
const struct export_format *export_find_suffix(const char *path);

/* What each line of the format jsonl is, in JSON Schema. */
void jsonl_schema(FILE *out);

int csv_write(FILE *out, const struct dusk_profile *p, const struct export_options *o);
int firefox_write(FILE *out, const struct dusk_profile *p, const struct export_options *o);
int folded_write(FILE *out, const struct dusk_profile *p, const struct export_options *o);
int jsonl_write(FILE *out, const struct dusk_profile *p, const struct export_options *o);
int otlp_write(FILE *out, const struct dusk_profile *p, const struct export_options *o);
int perf_write(FILE *out, const struct dusk_profile *p, const struct export_options *o);
int perfetto_write(FILE *out, const struct dusk_profile *p, const struct export_options *o);
int pprof_write(FILE *out, const struct dusk_profile *p, const struct export_options *o);
int script_write(FILE *out, const struct dusk_profile *p, const struct export_options *o);
int speedscope_write(FILE *out, const struct dusk_profile *p, const struct export_options *o);
