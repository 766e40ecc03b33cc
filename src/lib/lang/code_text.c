/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The texts of code of an interpreted language as UTF-8. See code_text.h. */
#include "lib/lang/code_text.h"
#include <assert.h>
#include <string.h>
#include "base/name.h"
#include "base/utf8.h"

#define REPLACEMENT 0xfffd

static_assert(sizeof(NAME_MARK) == sizeof("..."), "CODE_TEXT_BYTES has room for the mark");
static_assert(sizeof(((struct code_content *)0)->name_text) <= sizeof(((struct code_content *)0)->file_text),
	      "CODE_TEXT_BYTES is for the longest text");

/* Write @c to @to, which has room for 4 bytes. Returns how many it took. */
static u32 put(char *to, u32 c)
{
	if (!c || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		c = REPLACEMENT;
	if (c < 0x80) {
		to[0] = c;
		return 1;
	}
	if (c < 0x800) {
		to[0] = 0xc0 | c >> 6;
		to[1] = 0x80 | (c & 63);
		return 2;
	}
	if (c < 0x10000) {
		to[0] = 0xe0 | c >> 12;
		to[1] = 0x80 | (c >> 6 & 63);
		to[2] = 0x80 | (c & 63);
		return 3;
	}
	to[0] = 0xf0 | c >> 18;
	to[1] = 0x80 | (c >> 12 & 63);
	to[2] = 0x80 | (c >> 6 & 63);
	to[3] = 0x80 | (c & 63);
	return 4;
}

static u32 character(const u8 *at, u32 width)
{
	u16 two;
	u32 four;

	if (width == 1)
		return *at;
	if (width == 2) {
		memcpy(&two, at, sizeof(two));
		return two;
	}
	memcpy(&four, at, sizeof(four));
	return four;
}

/* May it be the first byte of a character of UTF-8 that has several? */
static bool is_first(u8 byte)
{
	return byte >= 0xc2 && byte <= 0xf4;
}

/* Copy what is UTF-8; a byte that is not is one of Latin-1, as in old programs. A name ends at a 0 byte. Returns how many bytes it took. */
static u32 copy(char *to, const u8 *bytes, u32 have, bool is_cut)
{
	u32 len = 0;

	for (u32 i = 0, n; i < have && bytes[i]; i += n) {
		u8 next[5] = {0}; /* and a 0 byte behind it */

		memcpy(next, bytes + i, have - i < 4 ? have - i : 4);
		n = utf8_bytes(next);
		if (!n && is_cut && have - i < 4 && is_first(bytes[i]))
			break; /* the rest of it is missing */
		if (n)
			memcpy(to + len, next, n);
		len += n ?: put(to + len, bytes[i]);
		n = n ?: 1;
	}
	return len;
}

const char *code_text_utf8(char room[static CODE_TEXT_BYTES], const struct code_text *t, const u8 *bytes, u32 kept)
{
	u32 have = t->bytes < kept ? t->bytes : kept, len = 0;

	assert(kept <= sizeof(((struct code_content *)0)->file_text));
	room[0] = 0;
	if (t->width == TEXT_UTF8) {
		len = copy(room, bytes, have, t->bytes > kept);
		strcpy(room + len, t->bytes > kept ? NAME_MARK : "");
		return room;
	}
	if (t->width != 1 && t->width != 2 && t->width != 4)
		return room;
	for (u32 i = 0; i + t->width <= have; i += t->width)
		len += put(room + len, character(bytes + i, t->width));
	strcpy(room + len, t->bytes > kept ? NAME_MARK : "");
	return room;
}
