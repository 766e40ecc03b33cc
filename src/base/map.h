/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which number belongs to this 64-bit key?
 *
 * Open addressing with linear probing, at most half full. All-zero is an empty map. Keys are never removed.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct map_slot {
	uint64_t key;
	uint32_t value;
	bool used;
};

struct map {
	struct map_slot *slots;
	uint32_t nr, mask; /* slots there are: mask + 1 */
};

/* The value of @key, or NULL. */
uint32_t *map_find(const struct map *m, uint64_t key);

/*
 * The value of @key; if it is not there it is added with value 0, and *@fresh is true. NULL when memory is short. The
 * pointer is good until the next call.
 */
uint32_t *map_at(struct map *m, uint64_t key, bool *fresh);
void map_done(struct map *m);

/* A hash that spreads all bits of @x over all bits of the result. */
static inline uint64_t hash64(uint64_t x)
{
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93ULL;
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93ULL;
	return x ^ x >> 32;
}
