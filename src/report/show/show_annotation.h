/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How do the samples of a function look, beside its source lines or its instructions? */
#pragma once
#include "report/model/annotate.h"
#include "report/show/show.h"

struct instruction {
	uint64_t address;
	char *text;
};

/* What is annotated, as lines of comment; @all: samples of the profile. */
void annotation_header(FILE *out, const struct dusk_profile *p, const struct annotation *a, const struct dusk_code *c,
		       uint64_t all);

/*
 * The lines with code of the file in which the function begins, and lines with samples of others, which have been
 * inlined; on paper with the lines around them, if the files are here. 0 or -ENOMEM.
 */
int source_show(FILE *out, const struct annotation *a, const struct dusk_code *c, const struct show_options *o);

/* @nr instructions, by address. */
void instructions_show(FILE *out, const struct annotation *a, const struct dusk_code *c, const struct instruction *v,
		       size_t nr, const struct show_options *o);

/* The row of the line table for @address, or NULL. */
const struct dusk_code_line *line_at(const struct dusk_code *c, uint64_t address);

/* The columns that both views begin with: share of the function's samples, and their number. */
void weight_show(FILE *out, const struct annotation *a, uint64_t samples, const struct show_options *o);
