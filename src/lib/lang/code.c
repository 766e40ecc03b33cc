/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/lang/code.h"
#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "abi/frame.h"
#include "base/path.h"
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
	code_text_utf8(ret->name, &c->name, c->name_text, sizeof(c->name_text));
	add_pieces(ret, map);
	return 0;
}

u32 code_line(const struct code *c, u32 position)
{
	switch (c->language) {
	case LANGUAGE_PYTHON: return python_lines_find(&c->content, c->table, c->kept, position);
	case LANGUAGE_PHP:
	case LANGUAGE_PERL:
	case LANGUAGE_RUBY: return position == FRAME_POSITION ? c->content.first_line : position;
	}
	return 0;
}
