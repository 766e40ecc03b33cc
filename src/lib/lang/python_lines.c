/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lines of code of Python. See python_lines.h.
 *
 * A table says for one range of instructions after the other how many they are, and how far their line is from that of the
 * range before. There are three forms of it. Nothing here trusts a table: it is what a process had in its memory, and
 * perhaps cut. Each step takes at least one byte of the table, so that all of them end.
 */
#include "lib/lang/python_lines.h"
#include <stdbool.h>
#include <stdint.h>
#include "abi/frame.h"

#define UNIT_BYTES 2 /* of instructions */
#define NO_LINE (-128)

/* What is kept of a table, and where its reader is. */
struct table {
	const u8 *at, *end;
	s64 line;   /* of the range before @at */
	u32 passed; /* bytes of instructions in all ranges before @at */
	bool cut;
};

static u32 as_line(s64 line)
{
	return line > 0 && line <= UINT32_MAX ? line : 0;
}

/* Pairs of bytes: of instructions up to the next line, and how far that is, signed. The last line goes on to the end. */
static u32 find_3_8(struct table *t, u32 byte)
{
	for (; t->end - t->at >= 2; t->at += 2) {
		t->passed += t->at[0];
		if (t->passed > byte)
			return as_line(t->line);
		t->line += (s8)t->at[1];
	}
	return t->cut ? 0 : as_line(t->line);
}

/* Pairs of bytes: of instructions in the range, and how far its line is from that before; or that it has none. */
static u32 find_3_10(struct table *t, u32 byte)
{
	for (; t->end - t->at >= 2; t->at += 2) {
		s8 delta = t->at[1];

		t->line += delta == NO_LINE ? 0 : delta;
		t->passed += t->at[0];
		if (t->passed > byte)
			return delta == NO_LINE ? 0 : as_line(t->line);
	}
	return 0;
}

/* A number of 6 bits a byte, the lowest ones first, and then as much of it as is negative. Returns false if it is cut. */
static bool read_signed(const u8 *at, const u8 *end, s64 *ret)
{
	u64 value = 0;

	for (u32 shift = 0; at < end && shift < 36; shift += 6, at++) {
		value |= (u64)(*at & 63) << shift;
		if (*at & 64)
			continue;
		*ret = value & 1 ? -(s64)(value >> 1) : (s64)(value >> 1);
		return true;
	}
	return false;
}

/* The kinds of ranges in tables of 3.11, as far as their lines go. Those below have no other line than the range before. */
enum { NEXT_LINES = 10, NO_COLUMNS = 13, LONG = 14, WITHOUT_LINE = 15 };

/*
 * A range begins with a byte that has its highest bit set; below are its kind and the number of its units. Then come bytes
 * without that bit: of some kinds the distance of the line, and then columns, which nothing here needs.
 */
static u32 find_3_11(struct table *t, u32 byte)
{
	while (t->at < t->end) {
		u8 kind = t->at[0] >> 3 & 15;
		s64 delta = kind >= NEXT_LINES && kind < NO_COLUMNS ? kind - NEXT_LINES : 0;

		if ((kind == NO_COLUMNS || kind == LONG) && !read_signed(t->at + 1, t->end, &delta))
			return 0;
		t->line += delta;
		t->passed += ((t->at[0] & 7) + 1) * UNIT_BYTES;
		if (t->passed > byte)
			return kind == WITHOUT_LINE ? 0 : as_line(t->line);
		do
			t->at++;
		while (t->at < t->end && !(*t->at & 128));
	}
	return 0;
}

u32 python_lines_find(const struct code_content *c, const u8 *table, u32 kept, u32 position)
{
	struct table t = {
		.at = table,
		.end = table + kept,
		.line = c->first_line,
		.cut = kept < c->table_bytes || c->table_bytes == MAX_TABLE_BYTES,
	};

	if (position == FRAME_POSITION)
		return c->first_line;
	switch (c->line_table) {
	case LINES_PYTHON_3_8: return find_3_8(&t, position * UNIT_BYTES);
	case LINES_PYTHON_3_10: return find_3_10(&t, position * UNIT_BYTES);
	case LINES_PYTHON_3_11: return find_3_11(&t, position * UNIT_BYTES);
	default: return 0;
	}
}
