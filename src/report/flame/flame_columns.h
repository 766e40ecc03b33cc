/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Encode columns of numbers for the page.
 *
 * A column is a list of numbers in LEB128: the number itself, or, in a column of deltas, the difference to the number
 * before it (0 before the first), as zigzag so that small negative differences are short, too. All columns form one
 * sequence of bytes; a directory in JSON describes each in order: [name, delta (0 or 1), numbers, bytes].
 */
#pragma once
#include <stdbool.h>
#include "base/json.h"
#include "base/vec.h"

struct column {
	const char *name; /* not copied */
	bool delta;
	uint64_t nr, bytes;
	uint64_t last; /* the number added last */
};

struct columns {
	struct vec(struct column) v;
	struct vec(uint8_t) bytes;
	int err; /* -ENOMEM: a number is missing */
};

/* Begin the column @name, to which columns_add() adds numbers. Both store errors in @c->err. */
void columns_begin(struct columns *c, const char *name, bool delta);
void columns_add(struct columns *c, uint64_t value);
void columns_directory(const struct columns *c, struct json *j, const char *key);
void columns_done(struct columns *c);
