/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A set of keys of one size, each kept once. */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/keys.h"
#include "base/map.h"

#define FIRST 64

static uint32_t hash_of(const struct keys *k, const void *key)
{
	uint64_t hash = 0, word;

	for (size_t i = 0; i < k->key_bytes; i += sizeof(word)) {
		memcpy(&word, (const uint8_t *)key + i, sizeof(word));
		hash = hash64(hash ^ word);
	}
	return hash;
}

/* As memcmp(), but without a call for each of a few words. */
static bool is_equal(const struct keys *k, uint32_t number, const void *key)
{
	const uint8_t *a = keys_at(k, number), *b = key;
	uint64_t x, y;

	for (size_t i = 0; i < k->key_bytes; i += sizeof(x)) {
		memcpy(&x, a + i, sizeof(x));
		memcpy(&y, b + i, sizeof(y));
		if (x != y)
			return false;
	}
	return true;
}

/* The slot of @key, or where it belongs. NULL: no key is equal to it, so none is compared. */
static uint32_t *slot_of(const struct keys *k, uint32_t hash, const void *key)
{
	uint32_t i = hash & k->mask;

	while (k->slots[i] && !(key && is_equal(k, k->slots[i] - 1, key)))
		i = (i + 1) & k->mask;
	return &k->slots[i];
}

static int grow_slots(struct keys *k)
{
	uint32_t nr = k->slots ? (k->mask + 1) * 2 : FIRST;
	uint32_t *slots = nr ? calloc(nr, sizeof(*slots)) : NULL;

	if (!slots)
		return -ENOMEM;
	free(k->slots);
	k->slots = slots;
	k->mask = nr - 1;
	for (uint32_t i = 0; i < k->nr; i++)
		*slot_of(k, hash_of(k, keys_at(k, i)), NULL) = i + 1;
	return 0;
}

static int grow_keys(struct keys *k)
{
	uint32_t room = k->room ? k->room + k->room / 2 : FIRST;
	uint8_t *key = room > k->room ? realloc(k->key, room * k->key_bytes) : NULL;

	if (!key)
		return -ENOMEM;
	k->key = key;
	k->room = room;
	return 0;
}

int keys_number(struct keys *k, const void *key, size_t key_bytes, uint32_t *ret, bool *fresh)
{
	uint32_t *slot;

	assert(key_bytes && !(key_bytes % 8) && (!k->nr || key_bytes == k->key_bytes));
	k->key_bytes = key_bytes;
	if ((!k->slots || k->nr > k->mask / 2) && grow_slots(k))
		return -ENOMEM;
	slot = slot_of(k, hash_of(k, key), key);
	if (fresh)
		*fresh = !*slot;
	if (!*slot) {
		if (k->nr == k->room && grow_keys(k))
			return -ENOMEM;
		memcpy(k->key + k->nr * key_bytes, key, key_bytes);
		*slot = ++k->nr;
	}
	*ret = *slot - 1;
	return 0;
}

void keys_done(struct keys *k)
{
	free(k->key);
	free(k->slots);
	*k = (struct keys){0};
}
