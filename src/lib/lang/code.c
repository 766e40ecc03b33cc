/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/lang/code.h"
#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "abi/frame.h"
#include "base/path.h"
#include "lib/lang/java_lines.h"
#include "lib/lang/python_lines.h"

/* Add the piece of the table in @c. Returns whether there may be more. */
static bool add_piece(struct code *ret, const struct code_content *c)
{
	u32 bytes = c->table_bytes < sizeof(c->table) ? c->table_bytes : sizeof(c->table);

	if (bytes > sizeof(ret->table) - ret->kept)
		bytes = sizeof(ret->table) - ret->kept;
	memcpy(ret->table + ret->kept, c->table, bytes);
	ret->kept += bytes;
	return bytes == sizeof(c->table) && c->next;
}

/* Add the pieces of the line table, from that in ret->content on. */
static void add_pieces(struct code *ret, int map)
{
	struct code_content piece;
	u32 number = ret->content.next;
	bool more = add_piece(ret, &ret->content);

	for (; more; number = piece.next) {
		if (bpf_map_lookup_elem(map, &number, &piece) || piece.language != LANGUAGE_NONE)
			break;
		more = add_piece(ret, &piece);
	}
}

/*
 * A function is qualified with its class or package, whose name is in the place of a line table. Code without a name has that of
 * its file.
 */
static void name_qualified(struct code *ret)
{
	const struct code_content *c = &ret->content;
	const struct code_text text = {.bytes = c->table_bytes, .width = TEXT_UTF8};
	char class[CODE_TEXT_BYTES], name[CODE_TEXT_BYTES];

	code_text_utf8(class, &text, c->table, MAX_CLASS_BYTES);
	code_text_utf8(name, &c->name, c->name_text, sizeof(c->name_text));
	if (*class)
		snprintf(ret->name, sizeof(ret->name), "%s::%s", class, name);
	else
		snprintf(ret->name, sizeof(ret->name), "%s", *name ? name : path_name(ret->file));
}

/* Cut @text behind its last @end, or make it empty. */
static void cut_behind(char *text, char end)
{
	char *last = strrchr(text, end);

	text[last ? last + 1 - text : 0] = '\0';
}

/*
 * A method is qualified with its class, which the runtime calls by its path: java/util/HashMap$Node. The source file lies in that path. A hidden
 * class, as a lambda has one, is called by its address, too, which is left out: it is another one each time.
 */
static void name_java(struct code *ret)
{
	const struct code_content *c = &ret->content;
	const struct code_text source = {.bytes = c->source_bytes, .width = TEXT_UTF8};
	char class[CODE_TEXT_BYTES], name[CODE_TEXT_BYTES], file[CODE_TEXT_BYTES], *hidden;

	code_text_utf8(class, &c->file, c->file_text, CODE_SOURCE_AT);
	code_text_utf8(name, &c->name, c->name_text, sizeof(c->name_text));
	code_text_utf8(file, &source, c->file_text + CODE_SOURCE_AT, sizeof(c->file_text) - CODE_SOURCE_AT);
	*ret->file = '\0';
	if (!*class) { /* a stub */
		snprintf(ret->name, sizeof(ret->name), "%s", name);
		return;
	}
	if (*file) {
		snprintf(ret->file, sizeof(ret->file), "%s", class);
		cut_behind(ret->file, '/');
		snprintf(ret->file + strlen(ret->file), sizeof(ret->file) - strlen(ret->file), "%s", file);
	}
	hidden = strstr(class, "+0x");
	if (hidden)
		*hidden = '\0';
	for (char *at = class; *at; at++)
		if (*at == '/')
			*at = '.';
	snprintf(ret->name, sizeof(ret->name), "%s.%s", class, name);
}

static bool is_hex(char c)
{
	return c && strchr("0123456789abcdefABCDEF", c);
}

/* The path in the URL of a file, in its place: "%20" is a blank. */
static void path_of_url(char *url, size_t scheme)
{
	const char *from = url + scheme;
	char *to = url, digits[3] = {0};

	while (*from) {
		if (*from == '%' && is_hex(from[1]) && is_hex(from[2])) {
			memcpy(digits, from + 1, 2);
			*to++ = strtol(digits, NULL, 16) ?: '?';
			from += 3;
		} else {
			*to++ = *from++;
		}
	}
	*to = 0;
}

/* A function may have no name, and code outside of functions has none. Modules are called by URLs. */
static void name_javascript(struct code *ret)
{
	static const char scheme[] = "file://";

	if (!ret->content.name.bytes)
		snprintf(ret->name, sizeof(ret->name), "<anonymous>");
	if (!strncmp(ret->file, scheme, strlen(scheme)))
		path_of_url(ret->file, strlen(scheme));
}

int code_find(struct code *ret, int map, u32 number)
{
	struct code_content *c = &ret->content;

	if (bpf_map_lookup_elem(map, &number, c) || c->language == LANGUAGE_NONE)
		return -ENOENT;
	ret->language = c->language;
	ret->kept = 0;
	code_text_utf8(ret->file, &c->file, c->file_text, sizeof(c->file_text));
	if (c->line_table == LINES_ARE_POSITIONS) {
		name_qualified(ret);
		return 0;
	}
	if (c->language == LANGUAGE_JAVA) {
		name_java(ret);
		return 0;
	}
	code_text_utf8(ret->name, &c->name, c->name_text, sizeof(c->name_text));
	if (c->language == LANGUAGE_JAVASCRIPT) {
		name_javascript(ret);
		return 0;
	}
	add_pieces(ret, map);
	return 0;
}

u32 code_line(const struct code *c, u32 position)
{
	switch (c->language) {
	case LANGUAGE_PYTHON: return python_lines_find(&c->content, c->table, c->kept, position);
	case LANGUAGE_JAVA: return java_lines_find(&c->content, position);
	case LANGUAGE_JAVASCRIPT: return c->content.line ?: c->content.first_line;
	case LANGUAGE_PHP:
	case LANGUAGE_PERL:
	case LANGUAGE_RUBY: return position == FRAME_POSITION ? c->content.first_line : position;
	}
	return 0;
}
