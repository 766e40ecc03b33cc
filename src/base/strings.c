/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A set of strings, each kept once. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/strings.h"

#define CHUNK_BYTES (64 << 10)
#define FIRST_SLOTS 64

struct strings_chunk {
	struct strings_chunk *older;
	size_t used, room;
	char data[];
};

static uint32_t hash_bytes(const void *data, size_t len_bytes)
{
	const unsigned char *p = data;
	uint64_t h = len_bytes, word;

	for (; len_bytes >= 8; p += 8, len_bytes -= 8) {
		memcpy(&word, p, 8);
		h = hash64(h ^ word) + word;
	}
	word = 0;
	memcpy(&word, p, len_bytes);
	return hash64(h ^ word);
}

/* A long string gets a chunk of its own, linked behind the chunk that is being filled. */
static char *keep(struct strings *s, const void *data, size_t len_bytes)
{
	struct strings_chunk *c = s->chunks;
	char *copy;

	if (!c || c->room - c->used <= len_bytes) {
		size_t room = len_bytes < CHUNK_BYTES / 4 ? CHUNK_BYTES : len_bytes + 1;

		c = malloc(sizeof(*c) + room);
		if (!c)
			return NULL;
		c->used = 0;
		c->room = room;
		if (room != CHUNK_BYTES && s->chunks) {
			c->older = s->chunks->older;
			s->chunks->older = c;
		} else {
			c->older = s->chunks;
			s->chunks = c;
		}
	}
	copy = c->data + c->used;
	memcpy(copy, data, len_bytes);
	copy[len_bytes] = 0;
	c->used += len_bytes + 1;
	return copy;
}

static uint32_t *slot_of(const struct strings *s, uint32_t hash, const void *data, size_t len_bytes)
{
	uint32_t i = hash & s->mask;

	for (; s->slots[i]; i = (i + 1) & s->mask) {
		const struct strings_entry *e = &s->entries[s->slots[i] - 1];

		if (data && e->hash == hash && e->len_bytes == len_bytes && !memcmp(e->text, data, len_bytes))
			break;
	}
	return &s->slots[i];
}

static int grow_slots(struct strings *s)
{
	uint32_t nr_slots = s->slots ? (s->mask + 1) * 2 : FIRST_SLOTS;
	uint32_t *slots = nr_slots ? calloc(nr_slots, sizeof(*slots)) : NULL;

	if (!slots)
		return -ENOMEM;
	free(s->slots);
	s->slots = slots;
	s->mask = nr_slots - 1;
	for (size_t i = 0; i < s->nr; i++)
		*slot_of(s, s->entries[i].hash, NULL, 0) = i + 1;
	return 0;
}

static int grow_entries(struct strings *s)
{
	size_t room = s->room ? s->room * 2 : 32;
	struct strings_entry *entries = realloc(s->entries, room * sizeof(*entries));

	if (!entries)
		return -ENOMEM;
	s->entries = entries;
	s->room = room;
	return 0;
}

int strings_number(struct strings *s, const void *data, size_t len_bytes, uint32_t *ret, bool *fresh)
{
	uint32_t hash = hash_bytes(data, len_bytes), *slot;
	char *copy;

	if (len_bytes > UINT32_MAX / 2)
		return -ENOMEM;
	if ((!s->slots || s->nr > s->mask / 2) && grow_slots(s))
		return -ENOMEM;
	if (s->nr == s->room && grow_entries(s))
		return -ENOMEM;
	slot = slot_of(s, hash, data, len_bytes);
	if (fresh)
		*fresh = !*slot;
	if (!*slot) {
		copy = keep(s, data, len_bytes);
		if (!copy)
			return -ENOMEM;
		s->entries[s->nr++] = (struct strings_entry){copy, len_bytes, hash};
		*slot = s->nr;
	}
	*ret = *slot - 1;
	return 0;
}

const char *strings_intern_bytes(struct strings *s, const char *text, size_t len_bytes)
{
	uint32_t number;

	return strings_number(s, text, len_bytes, &number, NULL) ? NULL : strings_text(s, number);
}

const char *strings_intern(struct strings *s, const char *text)
{
	return strings_intern_bytes(s, text, strlen(text));
}

void strings_done(struct strings *s)
{
	while (s->chunks) {
		struct strings_chunk *older = s->chunks->older;

		free(s->chunks);
		s->chunks = older;
	}
	free(s->entries);
	free(s->slots);
	*s = (struct strings){0};
}
