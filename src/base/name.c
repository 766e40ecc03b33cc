/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "base/name.h"
#include <string.h>

#define MARK_BYTES (sizeof(NAME_MARK) - 1)
#define CHARACTER_BYTES 4 /* of the longest in UTF-8 */

static bool continues_character(char c)
{
	return (c & 0xc0) == 0x80;
}

/* Return how many of the first @len bytes of @text are whole characters; of what is no UTF-8, all. */
static size_t whole_characters(const char *text, size_t len)
{
	size_t start = len;

	while (len - start < CHARACTER_BYTES && continues_character(text[start]))
		start--;
	return len - start < CHARACTER_BYTES ? start : len;
}

const char *name_limit_bytes(char room[static NAME_LIMIT_BYTES + 1], const char *text, size_t len)
{
	if (len <= NAME_LIMIT_BYTES)
		return text;
	len = whole_characters(text, NAME_LIMIT_BYTES - MARK_BYTES);
	memcpy(room, text, len);
	strcpy(room + len, NAME_MARK);
	return room;
}

const char *name_limit(char room[static NAME_LIMIT_BYTES + 1], const char *text)
{
	return name_limit_bytes(room, text, strnlen(text, NAME_LIMIT_BYTES + 1));
}

bool name_was_cut(const char *name)
{
	size_t len = strnlen(name, NAME_LIMIT_BYTES + 1);

	return len <= NAME_LIMIT_BYTES && len + CHARACTER_BYTES > NAME_LIMIT_BYTES &&
	       !strcmp(name + len - MARK_BYTES, NAME_MARK);
}
