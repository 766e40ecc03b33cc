/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A hash map from 64-bit keys to 32-bit numbers.
 *
 * Open addressing with linear probing, at most half full. All-zero is an empty map. Keys are not removed one by one.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct map_slot {
	uint64_t key;
	uint32_t value;
	bool used;
};

struct map {
	struct map_slot *slots;
	uint32_t nr, mask; /* keys; number of slots - 1 */
};

/* Return a pointer to the value of @key, or NULL if it is not in the map. */
uint32_t *map_find(const struct map *m, uint64_t key);

/*
 * Find the value of @key, or add it with value 0; *@fresh says whether it was added. The pointer is valid until the
 * next call.
 * Returns NULL when memory is short.
 */
uint32_t *map_at(struct map *m, uint64_t key, bool *fresh);

/* Remove all keys, but keep the memory. */
void map_clear(struct map *m);
void map_done(struct map *m);

/* Hash @x: each bit of @x affects all bits of the result. */
static inline uint64_t hash64(uint64_t x)
{
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93ULL;
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93ULL;
	return x ^ x >> 32;
}

/* FNV-1a. */
static inline uint64_t hash_data(const void *data, size_t len)
{
	uint64_t h = 0xcbf29ce484222325ULL;

	for (const uint8_t *at = data, *end = at + len; at < end; at++)
		h = (h ^ *at) * 0x100000001b3ULL;
	return h;
}

static inline uint64_t hash_text(const char *text)
{
	return hash_data(text, strlen(text));
}
