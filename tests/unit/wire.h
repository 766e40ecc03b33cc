/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Read messages of Protocol Buffers field by field, as far as tests of writers need it. Include after cmocka.h. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct wire {
	const uint8_t *at, *end;
};

struct wire_field {
	uint32_t number;
	uint64_t value;	   /* of a varint or a fixed64 */
	struct wire bytes; /* of anything with a length */
};

static inline uint64_t wire_varint(struct wire *w)
{
	uint64_t value = 0;

	for (unsigned int shift = 0;; shift += 7) {
		assert_true(w->at < w->end && shift < 64);
		value |= (uint64_t)(*w->at & 0x7f) << shift;
		if (!(*w->at++ & 0x80))
			return value;
	}
}

static inline uint64_t wire_raw64(struct wire *w)
{
	uint64_t value;

	assert_true(w->end - w->at >= (ptrdiff_t)sizeof(value));
	memcpy(&value, w->at, sizeof(value));
	w->at += sizeof(value);
	return value;
}

/* False at the end. What is cut short or has an unknown type fails the test. */
static inline bool wire_next(struct wire *w, struct wire_field *f)
{
	uint64_t tag;

	*f = (struct wire_field){0};
	if (w->at == w->end)
		return false;
	tag = wire_varint(w);
	f->number = tag >> 3;
	switch (tag & 7) {
	case 0: f->value = wire_varint(w); return true;
	case 1: f->value = wire_raw64(w); return true;
	case 2:
		f->value = wire_varint(w);
		assert_true(f->value <= (uint64_t)(w->end - w->at));
		f->bytes = (struct wire){w->at, w->at + f->value};
		w->at += f->value;
		return true;
	}
	fail_msg("wire type %d", (int)(tag & 7));
	return false;
}

/* The value of field @number in @w, or @otherwise. */
static inline uint64_t wire_value(struct wire w, uint32_t number, uint64_t otherwise)
{
	struct wire_field f;

	while (wire_next(&w, &f))
		if (f.number == number)
			return f.value;
	return otherwise;
}

/* The first field @number in @w; empty if there is none. */
static inline struct wire wire_bytes(struct wire w, uint32_t number)
{
	struct wire_field f;

	while (wire_next(&w, &f))
		if (f.number == number)
			return f.bytes;
	return (struct wire){0};
}

static inline bool wire_equals(struct wire w, const char *text)
{
	return (size_t)(w.end - w.at) == strlen(text) && !memcmp(w.at, text, strlen(text));
}
