/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Read rows in the format RowBinary (buffer.h). What is not there reads as 0 and "", and is a failure. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "base/strings.h"

struct answer_reader {
	const uint8_t *at, *end;
	struct strings *texts; /* has a copy of each */
	bool failed;
};

static inline bool answer_has_more(const struct answer_reader *r)
{
	return !r->failed && r->at < r->end;
}

static inline void answer_bytes(struct answer_reader *r, void *ret, size_t len)
{
	memset(ret, 0, len);
	r->failed |= len > (size_t)(r->end - r->at);
	if (r->failed)
		return;
	memcpy(ret, r->at, len);
	r->at += len;
}

#define answer_number(r, type)                                        \
	({                                                            \
		type answer_value;                                    \
		answer_bytes(r, &answer_value, sizeof(answer_value)); \
		answer_value;                                         \
	})

static inline uint64_t answer_varint(struct answer_reader *r)
{
	uint64_t value = 0;
	uint8_t byte = 0x80;

	for (unsigned int shift = 0; byte & 0x80 && !r->failed; shift += 7) {
		answer_bytes(r, &byte, 1);
		r->failed |= shift > 56;
		value |= (uint64_t)(byte & 0x7f) << (shift & 63);
	}
	return r->failed ? 0 : value;
}

/* The number of elements of an array, each of which takes @least bytes or more. */
static inline uint64_t answer_array(struct answer_reader *r, size_t least)
{
	uint64_t nr = answer_varint(r);

	r->failed |= nr > (uint64_t)(r->end - r->at) / least;
	return r->failed ? 0 : nr;
}

static inline const char *answer_text(struct answer_reader *r)
{
	uint64_t len = answer_array(r, 1);
	const char *text = r->failed ? NULL : strings_intern_bytes(r->texts, (const char *)r->at, len);

	r->failed |= !text;
	r->at += r->failed ? 0 : len;
	return text ? text : "";
}
