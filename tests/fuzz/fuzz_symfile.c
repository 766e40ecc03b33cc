/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What is known of a file, from any bytes: what is taken in answers any question from within itself.
 *
 * Hashes are made right first, or nothing would come past them.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "lib/symbols/symfile.h"

#define MAX_BYTES (1 << 24)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void make_right(uint8_t *data, size_t size)
{
	struct symfile_chunk *head;

	for (size_t at = 0; at + sizeof(*head) <= size; at += sizeof(*head) + head->bytes) {
		size_t room = size - at - sizeof(*head);

		head = (struct symfile_chunk *)(data + at); /* chunks are multiples of 8 */
		head->magic = SYMFILE_MAGIC;
		head->bytes = (head->bytes > room ? room : head->bytes) / 8 * 8;
		head->hash = symfile_hash(data + at + sizeof(*head), head->bytes);
	}
}

static void ask(const struct symfile *s, uint64_t address)
{
	struct symfile_place places[SYMFILE_PLACES];
	uint64_t start = 0, at;
	const char *name = symfile_find(s, address, &start);
	size_t nr = symfile_places(s, address, places);

	assert(!name || (start <= address && strlen(name) < UINT32_MAX));
	if (symfile_find_unnamed(s, address, &start))
		assert(start <= address);
	assert(nr <= SYMFILE_PLACES);
	for (size_t i = 0; i < nr; i++)
		assert(strlen(places[i].function) + strlen(places[i].file) < UINT32_MAX);
	if (symfile_lacks(s, address))
		assert(!nr && symfile_has_units(s));
	symfile_address(s, address, &at);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct symfile *s;
	uint8_t *bytes;
	ssize_t taken;

	if (size > MAX_BYTES)
		return 0;
	s = symfile_new();
	bytes = malloc(size + 1);
	assert(s && bytes);
	memcpy(bytes, data, size);
	make_right(bytes, size);
	taken = symfile_take(s, bytes, size);
	assert(taken <= (ssize_t)size);
	for (uint64_t at = 0; at < 0x4000; at += 7)
		ask(s, at);
	/* And wherever the input says that something is. */
	for (size_t i = 0; i + 8 <= size && i < 4096; i += 8) {
		uint64_t at;

		memcpy(&at, bytes + i, sizeof(at));
		ask(s, at);
		ask(s, at - 1);
	}
	symfile_free(s);
	free(bytes);
	return 0;
}
