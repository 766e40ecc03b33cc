/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How is a message written in the wire format of Protocol Buffers?
 *
 * Into a buffer that grows. A nested message lies between pb_open() and pb_close(); its length is put before it at the
 * end, and only if that takes more than one byte, the message moves. When memory is short the buffer says so in @failed
 * and takes no more. Fields with the value 0 are written too: whoever calls knows whether that means something.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct pb {
	uint8_t *v;
	size_t nr, room;
	bool failed;
};

void pb_varint(struct pb *b, uint64_t value);
void pb_u64(struct pb *b, uint32_t field, uint64_t value); /* also bool, enum, int32 and int64 */
void pb_fixed64(struct pb *b, uint32_t field, uint64_t value);
void pb_raw64(struct pb *b, uint64_t value);
void pb_bytes(struct pb *b, uint32_t field, const void *data, size_t len);

static inline void pb_string(struct pb *b, uint32_t field, const char *text)
{
	pb_bytes(b, field, text, strlen(text));
}

/* Begin a message, or a packed array, whose elements are pb_varint() or pb_raw64(). Returns what pb_close() wants. */
size_t pb_open(struct pb *b, uint32_t field);
void pb_close(struct pb *b, size_t open);

static inline void pb_done(struct pb *b)
{
	free(b->v);
	*b = (struct pb){0};
}
