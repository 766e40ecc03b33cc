/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Write messages in the wire format of Protocol Buffers, to a buffer that grows.
 *
 * A nested message is written between pb_open() and pb_close(). pb_close() puts the length before it, and moves the
 * message if the length takes more than one byte. If out of memory, @failed is set and nothing more is written. Fields
 * with the value 0 are written, too: the caller knows whether they mean something.
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

/* Begin a message, or a packed array of pb_varint() or pb_raw64(). Returns the argument for pb_close(). */
size_t pb_open(struct pb *b, uint32_t field);
void pb_close(struct pb *b, size_t open);

static inline void pb_done(struct pb *b)
{
	free(b->v);
	*b = (struct pb){0};
}
