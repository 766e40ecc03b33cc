/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How is a name written where some bytes have a meaning of their own?
 *
 * Names come from the programs that were profiled: they may hold anything. Terminals get no control characters and no
 * broken UTF-8; each format keeps its separators to itself.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum text_form {
	TEXT_TERMINAL, /* one line, no control characters */
	TEXT_FOLDED,   /* the same, and ';' becomes ':' */
	TEXT_WORD,     /* as TEXT_FOLDED, and white space becomes '_' */
	TEXT_PATH,     /* as TEXT_TERMINAL, and white space becomes \040, as in /proc/PID/maps */
};

/* Write @s. What may not stand is written as \xNN. */
void text_write(FILE *out, const char *s, enum text_form form);

/* The columns that text_write() takes on a terminal. */
size_t text_width(const char *s, enum text_form form);

/* Would a spreadsheet take @s for a formula, and compute it? Numbers are none. */
bool text_is_formula(const char *s);

/*
 * A field of CSV (RFC 4180). Line ends and tabs stay, what else may not stand on a terminal is written as \xNN; what
 * would be a formula has ' in front.
 */
void text_csv(FILE *out, const char *s);
