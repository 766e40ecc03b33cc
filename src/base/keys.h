/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A set of keys of one size, each kept once.
 *
 * Equal keys get one number, counted from 0 in the order of arrival. They are hashed and compared as bytes, so they must
 * have no padding, and their size is a multiple of 8. A set takes the size of a key, and 8 to 16 bytes, for each. All-zero
 * is an empty set.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct keys {
	uint32_t nr, room;
	size_t key_bytes;
	uint8_t *key;	 /* by number */
	uint32_t *slots; /* number + 1; 0: empty */
	uint32_t mask;
};

/*
 * Look up @key of @key_bytes bytes, as many as all others have, and add it if it is new. *@ret is its number; *@fresh
 * (@fresh may be NULL) says whether it was added.
 * Returns 0 or -ENOMEM.
 */
int keys_number(struct keys *k, const void *key, size_t key_bytes, uint32_t *ret, bool *fresh);

/* Return the key with this number. It moves when one is added. */
static inline const void *keys_at(const struct keys *k, uint32_t number)
{
	return k->key + number * k->key_bytes;
}

void keys_done(struct keys *k);
