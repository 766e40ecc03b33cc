/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Write names to terminals and into text formats, with special characters escaped.
 *
 * Names come from the profiled programs and may contain any bytes. Terminals get no control characters and no
 * broken UTF-8, and the separators of a format do not occur in names.
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

/* Write @s to @out. Bytes that @form does not allow are written as \xNN. */
void text_write(FILE *out, const char *s, enum text_form form);

/* Return the number of terminal columns that text_write() takes for @s. */
size_t text_width(const char *s, enum text_form form);

/* Return the bytes of @s, in whole characters, for which text_write() takes at most @width columns. */
size_t text_prefix(const char *s, enum text_form form, size_t width);

/* Return whether a spreadsheet would evaluate @s as a formula. Numbers are not formulas. */
bool text_is_formula(const char *s);

/*
 * Write @s as a field of CSV (RFC 4180). Line ends and tabs are kept; other bytes that are not safe on a terminal are
 * written as \xNN. A text that would be a formula gets a ' in front.
 */
void text_csv(FILE *out, const char *s);
