/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Write messages in the wire format of Protocol Buffers. See protobuf.h. */
#include "base/vec.h"
#include "export/protobuf.h"

enum wire { WIRE_VARINT, WIRE_FIXED64, WIRE_BYTES };

#define VARINT_BYTES 10

/* Append @len bytes, to be set by the caller. NULL: out of memory. */
static uint8_t *append(struct pb *b, size_t len)
{
	b->failed = b->failed || vec_reserve(b, len);
	if (b->failed)
		return NULL;
	b->nr += len;
	return b->v + b->nr - len;
}

static size_t encode(uint8_t *to, uint64_t value)
{
	size_t len = 0;

	for (; value >= 0x80; value >>= 7)
		to[len++] = value | 0x80;
	to[len++] = value;
	return len;
}

void pb_varint(struct pb *b, uint64_t value)
{
	uint8_t *to = append(b, VARINT_BYTES);

	if (to)
		b->nr -= VARINT_BYTES - encode(to, value);
}

static void tag(struct pb *b, uint32_t field, enum wire wire)
{
	pb_varint(b, field << 3 | wire);
}

void pb_u64(struct pb *b, uint32_t field, uint64_t value)
{
	tag(b, field, WIRE_VARINT);
	pb_varint(b, value);
}

void pb_raw64(struct pb *b, uint64_t value)
{
	uint8_t *to = append(b, sizeof(value));

	for (size_t i = 0; to && i < sizeof(value); i++)
		to[i] = value >> 8 * i;
}

void pb_fixed64(struct pb *b, uint32_t field, uint64_t value)
{
	tag(b, field, WIRE_FIXED64);
	pb_raw64(b, value);
}

void pb_bytes(struct pb *b, uint32_t field, const void *data, size_t len)
{
	uint8_t *to;

	tag(b, field, WIRE_BYTES);
	pb_varint(b, len);
	to = append(b, len);
	if (to && len)
		memcpy(to, data, len);
}

size_t pb_open(struct pb *b, uint32_t field)
{
	tag(b, field, WIRE_BYTES);
	append(b, 1);
	return b->nr;
}

void pb_close(struct pb *b, size_t open)
{
	uint8_t length[VARINT_BYTES];
	size_t len = b->nr - open, more;

	if (b->failed)
		return;
	more = encode(length, len) - 1;
	if (more && !append(b, more))
		return;
	if (more)
		memmove(b->v + open + more, b->v + open, len);
	memcpy(b->v + open - 1, length, more + 1);
}
