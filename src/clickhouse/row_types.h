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

#define ROW_BYTES_MAX (1u << 20)
#define ROW_LABEL_BYTES 4096
#define ROW_WORD_BYTES 64
#define ROW_N_MAX (1ULL << 40)
#define ROW_NS_MAX (1ULL << 56) /* two years */
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
