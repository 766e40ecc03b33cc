/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Rows in ClickHouse's format RowBinary: the values of a row one after the other, numbers with the low byte first, text
 * with its length before it as a varint (LEB128), arrays with their number of elements. Errors are sticky.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include "base/vec.h"

struct buffer {
	struct vec(uint8_t) bytes;
	uint64_t nr_rows;  /* counted by those who write them */
	bool failed;	   /* memory was short */
	const char *types; /* of their columns (row_types.h), for whom that may be news; NULL: it is not said */
};

static inline void buffer_bytes(struct buffer *b, const void *data, size_t len)
{
	b->failed |= vec_append(&b->bytes, (const uint8_t *)data, len) != 0;
}

/* A number of 1, 4 or 8 bytes; machines with the high byte first are not supported. */
#define buffer_number(b, type, value)                     \
	do {                                              \
		const type number = (value);              \
		buffer_bytes(b, &number, sizeof(number)); \
	} while (0)

static inline void buffer_varint(struct buffer *b, uint64_t value)
{
	do {
		uint8_t byte = (value & 0x7f) | (value > 0x7f ? 0x80 : 0);

		buffer_bytes(b, &byte, 1);
		value >>= 7;
	} while (value);
}

static inline void buffer_text(struct buffer *b, const char *text)
{
	buffer_varint(b, strlen(text));
	buffer_bytes(b, text, strlen(text));
}

static inline void buffer_done(struct buffer *b)
{
	vec_done(&b->bytes);
}
