/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Print the samples of a function beside its source lines or its instructions. */
#pragma once
#include "report/model/annotate.h"
#include "report/show/show.h"

struct instruction {
	uint64_t address;
	char *text;
};

/* Print what is annotated as comment lines. @all: the number of samples in the profile. */
void annotation_header(FILE *out, const struct dusk_profile *p, const struct annotation *a, const struct dusk_code *c,
		       uint64_t all);

/*
 * Print the lines with code of the file in which the function begins, and the lines with samples of other files, whose
 * code was inlined. SHOW_TEXT adds lines of context. Source text is shown if the files can be read.
 * Returns 0 or -ENOMEM.
 */
int source_show(FILE *out, const struct annotation *a, const struct dusk_code *c, const struct show_options *o);

/* Print the @nr instructions in @v, which are sorted by address. */
void instructions_show(FILE *out, const struct annotation *a, const struct dusk_code *c, const struct instruction *v,
		       size_t nr, const struct show_options *o);

/* Return the row of the line table for @address, or NULL if it has no line. */
const struct dusk_code_line *line_at(const struct dusk_code *c, uint64_t address);

/* Print the first columns of both views: the share of the function's samples, and their number. */
void weight_show(FILE *out, const struct annotation *a, uint64_t samples, const struct show_options *o);
