/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Is what somebody has sent rows of a table, in RowBinary (buffer.h)?
 *
 * Rows of many senders become one INSERT, which the server refuses, or takes for others, if one byte of it is wrong. So a
 * collector reads all of them first. The types of a row's columns are a text, a character each:
 *
 *	1 4 8	a number of so many bytes
 *	n v	one of 8 bytes: of samples, which are some; of nanoseconds. Views add them up
 *	t	text
 *	l	a label: a text that is not long
 *	w	a word
 *	[x	an array of x
 *	=x	an array of x that has as many elements as the array before it (Nested)
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "base/name.h"

#define ROW_BYTES_MAX (1u << 20)
#define ROW_LABEL_BYTES NAME_LIMIT_BYTES
#define ROW_WORD_BYTES 64
#define ROW_N_MAX 1099511627776	      /* 2^40; these are part of statements, too */
#define ROW_NS_MAX 288230376151711744 /* 2^58: an hour of 80,000 threads */
#define ROW_DAY_S 86400

struct row_facts {
	uint64_t nr_rows;
	uint64_t host;	/* of rows with a batch: a hash of the first one's host, which stays the same */
	uint64_t batch; /* of all of them; 0: such rows have none */
	uint32_t day;	/* likewise, in days since 1970 */
};

/*
 * Read @packed, which is one gzip stream, as rows with the columns @types. If they have a batch (@has_batch) it must be the
 * same in each row, and the day as well.
 * Returns 0; -EBADMSG: it is no such thing; -E2BIG: there are more than @max_rows; -ENOMEM.
 */
int row_types_check(struct row_facts *ret, const char *types, bool has_batch, const void *packed, size_t len,
		    uint64_t max_rows);

#define ROW_COLUMNS_MAX 64

/* Where columns go, of rows that are not quite those of a table. */
struct row_layout {
	size_t nr;
	char types[2 * ROW_COLUMNS_MAX + 1]; /* theirs */
	int8_t to[ROW_COLUMNS_MAX];	     /* which of the table; -1: none */
};

/* The length of the type at @types of a list of them; 0: that is its end. */
static inline size_t row_type_len(const char *types)
{
	return !*types ? 0 : (*types == '[' || *types == '=') && types[1] ? 2 : 1;
}

/* Is the type at @types one that is known here? */
bool row_type_is_known(const char *types);

/*
 * Write the rows @packed, which are as @layout says, to @out as rows with the columns @types, packed. What no column goes to is 0, or empty.
 * Returns as row_types_check(), which takes them then if they are right.
 */
int row_types_convert(FILE *out, const struct row_layout *layout, const char *types, const void *packed, size_t len);
