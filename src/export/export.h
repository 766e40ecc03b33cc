/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Into which foreign formats can a profile be written? */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <dusk/dusk.h>

struct export_options {
	bool pid, tid;		/* tell tasks apart by these as well, not by name only */
	bool annotate;		/* mark kernel functions with _[k] */
};

struct export_format {
	const char *name, *suffix, *sentence;

	/* 0 or -ENOMEM; errors of @out are its owner's to ask for. A stream that fails ends the work early. */
	int (*write)(FILE *out, const struct dusk_profile *p, const struct export_options *o);
};

/* All formats; the last one is followed by one without a name. */
extern const struct export_format export_formats[];

/* NULL: there is no such format. */
const struct export_format *export_find(const char *name);

int folded_write(FILE *out, const struct dusk_profile *p, const struct export_options *o);
int script_write(FILE *out, const struct dusk_profile *p, const struct export_options *o);
