/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A set of strings, each kept once.
 *
 * Equal content (text, or any bytes) gets one number, counted from 0 in the order of arrival, and one copy, which ends
 * with a 0 byte and does not move until strings_done(). All-zero is an empty set.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct strings_chunk;

struct strings_entry {
	const char *text;
	uint32_t len_bytes, hash;
};

struct strings {
	struct strings_chunk *chunks;
	struct strings_entry *entries; /* by number */
	size_t nr, room;
	uint32_t *slots; /* number + 1; 0: empty */
	uint32_t mask;
};

/*
 * Look up @len_bytes bytes at @data, and add them if they are new. *@ret is their number; *@fresh (@fresh may be NULL)
 * says whether they were added.
 * Returns 0 or -ENOMEM.
 */
int strings_number(struct strings *s, const void *data, size_t len_bytes, uint32_t *ret, bool *fresh);

/* Return the set's copy of @text, or NULL when memory is short. */
const char *strings_intern(struct strings *s, const char *text);
const char *strings_intern_bytes(struct strings *s, const char *text, size_t len_bytes);

/* Return the copy with this number. */
static inline const char *strings_text(const struct strings *s, uint32_t number)
{
	return s->entries[number].text;
}

void strings_done(struct strings *s);
