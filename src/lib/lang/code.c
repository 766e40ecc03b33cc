/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/lang/code.h"
#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>
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

int code_find(struct code *ret, int map, u32 number)
{
	struct code_content *c = &ret->content, piece;
	bool more;

	if (bpf_map_lookup_elem(map, &number, c) || c->language == LANGUAGE_NONE)
		return -ENOENT;
	ret->kept = 0;
	more = add_piece(ret, c);
	for (number = c->next; more; number = piece.next) {
		if (bpf_map_lookup_elem(map, &number, &piece) || piece.language != LANGUAGE_NONE)
			break;
		more = add_piece(ret, &piece);
	}
	ret->language = c->language;
	code_text_utf8(ret->name, &c->name, c->name_text, sizeof(c->name_text));
	code_text_utf8(ret->file, &c->file, c->file_text, sizeof(c->file_text));
	return 0;
}

u32 code_line(const struct code *c, u32 position)
{
	return c->language == LANGUAGE_PYTHON ? python_lines_find(&c->content, c->table, c->kept, position) : 0;
}
