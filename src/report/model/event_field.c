/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "report/model/event_field.h"
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool is_of_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '/' || c == '-';
}

/* What is behind "NAME=" or "NAME: "; NULL: that is not at @at. */
static const char *value_of(const char *at, const char *name, size_t len)
{
	if (strncmp(at, name, len) || (at[len] != '=' && at[len] != ':'))
		return NULL;
	at += len + 1;
	return at + strspn(at, " ");
}

static const char *find_value(const char *fields, const char *name)
{
	const char *found = NULL, *at = fields;
	size_t len = strlen(name);

	while (!found && *at) {
		found = value_of(at, name, len);
		while (is_of_name(*at))
			at++;
		while (*at && !is_of_name(*at))
			at++;
	}
	return found;
}

/* @alone: nothing may be behind it. */
static bool read_number(const char *text, bool alone, uint64_t *ret)
{
	bool is_hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	char *end;

	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	*ret = strtoull(text, &end, is_hex ? 16 : 10);
	if (errno || (is_hex && end <= text + 2))
		return false;
	return alone ? !*end : !is_of_name(end[*end == 'B']) && *end != '.';
}

bool event_field_number(const char *fields, const char *name, uint64_t *ret)
{
	const char *value = find_value(fields, name);

	if (!value && !strcmp(name, EVENT_FIELD_RESULT))
		return read_number(fields, true, ret);
	return value && read_number(value, false, ret);
}
