/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How do the columns of a profile get into the page?
 *
 * A column is a list of numbers, each as LEB128: the number itself, or, in a column of deltas, what is added to the
 * one before it (0 before the first), as zigzag, so that small steps back are small, too. All columns make one run of
 * bytes; a directory in JSON says for each where it stands: [name, delta (0 or 1), numbers, bytes].
 */
#pragma once
#include <stdbool.h>
#include "base/json.h"
#include "base/vec.h"

struct column {
	const char *name; /* not copied */
	bool delta;
	uint64_t nr, bytes;
	uint64_t last; /* number that was added */
};

struct columns {
	struct vec(struct column) v;
	struct vec(uint8_t) bytes;
	int err; /* -ENOMEM: a number was lost */
};

/* The next numbers are those of column @name. Errors, here and in adding, are remembered in @c->err. */
void columns_begin(struct columns *c, const char *name, bool delta);
void columns_add(struct columns *c, uint64_t value);
void columns_directory(const struct columns *c, struct json *j, const char *key);
void columns_done(struct columns *c);
