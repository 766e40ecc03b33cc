/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Any bytes as what the kernel side keeps of code of an interpreted language: texts are UTF-8 and fit, and looking lines
 * up ends.
 *
 *	0..3   the position		4..   struct code_content
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/utf8.h"
#include "lib/lang/code_text.h"
#include "lib/lang/python_lines.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_text(const struct code_text *t, const u8 *bytes, u32 kept)
{
	char room[CODE_TEXT_BYTES];
	const char *text = code_text_utf8(room, t, bytes, kept);
	size_t len;

	assert(strlen(text) < sizeof(room));
	for (; *text; text += len) {
		len = utf8_bytes((const unsigned char *)text);
		len = len ? len : (unsigned char)*text < 0x20;
		assert(len);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct code_content c = {0};
	u32 position = 0, kept;

	if (size < sizeof(position))
		return 0;
	memcpy(&position, data, sizeof(position));
	data += sizeof(position);
	size -= sizeof(position);
	memcpy(&c, data, size < sizeof(c) ? size : sizeof(c));
	check_text(&c.name, c.name_text, sizeof(c.name_text));
	check_text(&c.file, c.file_text, sizeof(c.file_text));
	kept = c.table_bytes < sizeof(c.table) ? c.table_bytes : sizeof(c.table);
	for (c.line_table = 0; c.line_table <= LINES_PYTHON_3_11; c.line_table++) {
		python_lines_find(&c, c.table, kept, position);
		python_lines_find(&c, c.table, kept, position & 4095);
	}
	return 0;
}
