/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "base/utf8.h"
#include <stdint.h>

size_t utf8_bytes(const unsigned char *s)
{
	static const struct {
		unsigned char first, last, second_min, second_max, bytes;
	} forms[] = {
		{0x20, 0x7f, 0, 0, 1},	     {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
		{0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
		{0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
	};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		if (s[0] < forms[i].first || s[0] > forms[i].last)
			continue;
		if (forms[i].bytes > 1 && (s[1] < forms[i].second_min || s[1] > forms[i].second_max))
			return 0;
		for (int k = 2; k < forms[i].bytes; k++)
			if ((s[k] & 0xc0) != 0x80)
				return 0;
		return forms[i].bytes;
	}
	return 0;
}

size_t utf8_printable(const unsigned char *s)
{
	uint32_t c = s[0], least;
	size_t len;

	if (c < 0x80)
		return c >= ' ' && c != 0x7f;
	if ((c & 0xe0) == 0xc0)
		len = 2, c &= 0x1f, least = 0xa0;
	else if ((c & 0xf0) == 0xe0)
		len = 3, c &= 0x0f, least = 0x800;
	else if ((c & 0xf8) == 0xf0)
		len = 4, c &= 0x07, least = 0x10000;
	else
		return 0;
	for (size_t i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	/* Overlong forms, surrogates, and characters that change the direction of the text. */
	if (c < least || c > 0x10ffff || (c >= 0xd800 && c < 0xe000) || (c >= 0x202a && c <= 0x202e) ||
	    (c >= 0x2066 && c <= 0x2069))
		return 0;
	return len;
}

char *utf8_make_printable(char *text)
{
	for (unsigned char *at = (unsigned char *)text; *at;) {
		size_t len = utf8_printable(at);

		if (!len)
			*at = '?';
		at += len ? len : 1;
	}
	return text;
}
