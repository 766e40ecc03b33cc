/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shorten the names of functions for people. See short_name.h. */
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "report/show/short_name.h"
#include "report/text.h"

#define DOTS "..."
#define NR_DOTS 3
#define MIN_WIDTH 8
#define ESCAPED_WIDTH 4 /* of a byte written as \xNN */

/*
 * The length of an operator's name at @at in @s, which may contain brackets: "operator<<", "operator()". 0: there is
 * none.
 */
static size_t operator_length(const char *s, const char *at)
{
	size_t len = strlen("operator");

	if (strncmp(at, "operator", len) || (at > s && (isalnum((unsigned char)at[-1]) || at[-1] == '_')))
		return 0;
	return len + (strncmp(at + len, "()", 2) ? strspn(at + len, "<>=-") : 2);
}

static bool is_template(const char *s, const char *open, const char *close)
{
	return true;
}

/* Not "(anonymous namespace)", and not Go's "(*T).f". */
static bool is_parameters(const char *s, const char *open, const char *close)
{
	return open > s && open[-1] != ':' && open[-1] != '.' && close[1] != '.';
}

/*
 * Replace what is in pairs of brackets, if @replaces says so, by dots. In a name such as Rust's "<A<T> as B<T>>::f" the
 * outermost ones stay. Returns 0; -EINVAL if they are not pairs, or -ENOMEM, with @s as it was.
 */
static int strip(char *s, char left, char right, bool (*replaces)(const char *s, const char *open, const char *close))
{
	_cleanup_(freep) char *stripped = strdup(s);
	const char *open = s;
	char *out = stripped, *begin = stripped;
	int depth = 0, least = left == '<' && *s == '<';
	size_t len;

	if (!stripped)
		return -ENOMEM;
	for (const char *in = s; *in; in += len, out += len) {
		len = operator_length(s, in);
		if (!len) {
			len = 1;
			if (*in == right && (in == s || in[-1] != '-') && --depth == least && out - begin > NR_DOTS &&
			    replaces(s, open, in))
				out = stpcpy(begin, DOTS);
			if (*in == left && ++depth == least + 1) {
				open = in;
				begin = out + 1;
			}
			if (depth < 0)
				return -EINVAL;
			least = least && (depth || in == s);
		}
		memcpy(out, in, len);
	}
	if (depth)
		return -EINVAL;
	*out = 0;
	strcpy(s, stripped);
	return 0;
}

/* Cut the middle. The end has two thirds, as it is the function's own name. */
static void cut(char *buffer, const char *s, size_t width)
{
	size_t head = text_prefix(s, TEXT_TERMINAL, (width - NR_DOTS) / 3), left;
	size_t room = width - NR_DOTS - (width - NR_DOTS) / 3;
	const char *tail = s + head;

	while ((left = text_width(tail, TEXT_TERMINAL)) > room)
		tail += text_prefix(tail, TEXT_TERMINAL, left - room)
				?: text_prefix(tail, TEXT_TERMINAL, ESCAPED_WIDTH);
	memcpy(buffer, s, head);
	strcpy(stpcpy(buffer + head, DOTS), tail);
}

const char *short_name(const char *name, size_t width, char *buffer)
{
	_cleanup_(freep) char *s = NULL;

	if (width < MIN_WIDTH)
		width = MIN_WIDTH;
	if (width > SHORT_NAME_MAX)
		width = SHORT_NAME_MAX;
	if (text_width(name, TEXT_TERMINAL) <= width)
		return name;
	s = strdup(name);
	if (!s)
		return name;
	strip(s, '<', '>', is_template);
	if (text_width(s, TEXT_TERMINAL) > width)
		strip(s, '(', ')', is_parameters);
	if (text_width(s, TEXT_TERMINAL) > width)
		cut(buffer, s, width);
	else
		strcpy(buffer, s);
	return buffer;
}
