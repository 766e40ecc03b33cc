/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Write names from untrusted programs to terminals and into text formats. See text.h. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "report/text.h"

/* The length of the UTF-8 character at @s (RFC 3629) if it is safe on a terminal, else 0. C1 controls are not safe. */
static size_t printable(const unsigned char *s)
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

/* Write one character of @s to @out, unless that is NULL, and add its columns to *@width. Returns the bytes taken. */
static size_t put(FILE *out, const char *s, enum text_form form, size_t *width)
{
	size_t len = printable((const unsigned char *)s);
	bool blank = *s == ' ' || *s == '\t' || *s == '\n';
	char escaped[8] = "";

	if (form == TEXT_WORD && blank)
		strcpy(escaped, "_");
	else if ((form == TEXT_WORD || form == TEXT_FOLDED) && *s == ';')
		strcpy(escaped, ":");
	else if (form == TEXT_PATH && blank)
		snprintf(escaped, sizeof(escaped), "\\%03o", (unsigned char)*s);
	else if (!len)
		snprintf(escaped, sizeof(escaped), "\\x%02x", (unsigned char)*s);

	if (*escaped) {
		*width += strlen(escaped);
		if (out)
			fputs(escaped, out);
		return len ? len : 1;
	}
	*width += 1;
	if (out)
		fwrite(s, 1, len, out);
	return len;
}

void text_write(FILE *out, const char *s, enum text_form form)
{
	size_t width = 0;

	while (*s)
		s += put(out, s, form, &width);
}

size_t text_width(const char *s, enum text_form form)
{
	size_t width = 0;

	while (*s)
		s += put(NULL, s, form, &width);
	return width;
}

size_t text_prefix(const char *s, enum text_form form, size_t width)
{
	size_t taken = 0, bytes = 0;

	while (s[bytes]) {
		size_t len = put(NULL, s + bytes, form, &taken);

		if (taken > width)
			break;
		bytes += len;
	}
	return bytes;
}

bool text_is_formula(const char *s)
{
	char *end;

	if (!*s || !strchr("=+-@", *s))
		return false;
	strtod(s, &end);
	return end == s || *end;
}

void text_csv(FILE *out, const char *s)
{
	bool quoted = strpbrk(s, ",\"\n");
	size_t width = 0;

	if (quoted)
		putc('"', out);
	if (text_is_formula(s))
		putc('\'', out);
	while (*s) {
		if (*s == '"')
			putc('"', out);
		if (*s == '\n' || *s == '\t')
			putc(*s++, out);
		else
			s += put(out, s, TEXT_TERMINAL, &width);
	}
	if (quoted)
		putc('"', out);
}
