/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Write names from untrusted programs to terminals and into text formats. See text.h. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "base/utf8.h"
#include "report/text.h"

/* Write one character of @s to @out, unless that is NULL, and add its columns to *@width. Returns the bytes taken. */
static size_t put(FILE *out, const char *s, enum text_form form, size_t *width)
{
	size_t len = utf8_printable((const unsigned char *)s);
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

	s += strspn(s, " \t\r\n"); /* which a spreadsheet leaves out */
	if (!*s || !strchr("=+-@", *s))
		return false;
	strtod(s, &end);
	return end == s || *end;
}

void text_csv(FILE *out, const char *s)
{
	bool quoted = strpbrk(s, ",;\"\n\t"); /* also those at which spreadsheets of some locales split */
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
