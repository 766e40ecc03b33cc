/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A hash map from 64-bit keys to 32-bit numbers. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"

#define FIRST_SLOTS 64

static struct map_slot *slot_of(const struct map *m, uint64_t key)
{
	uint32_t i = hash64(key) & m->mask;

	while (m->slots[i].used && m->slots[i].key != key)
		i = (i + 1) & m->mask;
	return &m->slots[i];
}

static int grow(struct map *m)
{
	uint32_t slots = m->slots ? (m->mask + 1) * 2 : FIRST_SLOTS;
	struct map bigger = {.nr = m->nr, .mask = slots - 1};

	bigger.slots = slots ? calloc(slots, sizeof(*bigger.slots)) : NULL;
	if (!bigger.slots)
		return -ENOMEM;
	for (uint32_t i = 0; m->slots && i <= m->mask; i++)
		if (m->slots[i].used)
			*slot_of(&bigger, m->slots[i].key) = m->slots[i];
	free(m->slots);
	*m = bigger;
	return 0;
}

uint32_t *map_find(const struct map *m, uint64_t key)
{
	struct map_slot *slot = m->slots ? slot_of(m, key) : NULL;

	return slot && slot->used ? &slot->value : NULL;
}

uint32_t *map_at(struct map *m, uint64_t key, bool *fresh)
{
	struct map_slot *slot;

	if ((!m->slots || m->nr > m->mask / 2) && grow(m))
		return NULL;
	slot = slot_of(m, key);
	*fresh = !slot->used;
	if (*fresh) {
		*slot = (struct map_slot){.key = key, .used = true};
		m->nr++;
	}
	return &slot->value;
}

void map_clear(struct map *m)
{
	if (m->slots)
		memset(m->slots, 0, (m->mask + (size_t)1) * sizeof(*m->slots));
	m->nr = 0;
}

void map_done(struct map *m)
{
	free(m->slots);
	*m = (struct map){0};
}
