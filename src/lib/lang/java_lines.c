/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lines of methods of Java: JDK 17 src/hotspot/share/code/compressedStream.hpp, oops/method.hpp (CompressedLineNumberReadStream).
 *
 * The table is a list of pairs: how far the next bytecode is from that before, and how far its line. Both in one byte if they are small;
 * else two signed numbers behind a byte 0xff. A byte 0 ends it. Nothing here trusts it: it is what a process had in its memory.
 */
#include "lib/lang/java_lines.h"
#include <stdbool.h>
#include <stdint.h>

#define LONG 192     /* bytes of numbers from here on have more behind them, */
#define MAX_DIGITS 5 /* up to so many, of 6 bits */
#define DIGIT_BITS 6
#define SMALL_LINE_BITS 3
#define IN_NUMBERS 0xff

struct table {
	const u8 *at, *end;
	u32 bias;
	int64_t bytecode, line;
	bool cut;
};

static uint32_t read_number(struct table *t)
{
	uint64_t value = 0;

	for (u32 digit = 0; digit < MAX_DIGITS; digit++) {
		u8 byte;

		if (t->at == t->end) {
			t->cut = true;
			break;
		}
		byte = *t->at++;
		value += (uint64_t)(u8)(byte - t->bias) << digit * DIGIT_BITS;
		if (byte < LONG)
			break;
	}
	return (uint32_t)value;
}

/* Numbers with a sign have it in their lowest bit. */
static int32_t read_signed(struct table *t)
{
	uint32_t value = read_number(t);

	return (int32_t)(value >> 1 ^ -(value & 1));
}

/* Go to the next pair. Returns false: there is none. */
static bool next(struct table *t)
{
	u8 byte;

	if (t->at == t->end)
		t->cut = true;
	if (t->cut || !*t->at)
		return false;
	byte = *t->at++;
	if (byte == IN_NUMBERS) {
		t->bytecode += read_signed(t);
		t->line += read_signed(t);
	} else {
		t->bytecode += byte >> SMALL_LINE_BITS;
		t->line += byte & ((1 << SMALL_LINE_BITS) - 1);
	}
	return !t->cut;
}

u32 java_lines_find(const struct code_content *c, u32 position)
{
	u32 bytes = c->table_bytes < sizeof(c->table) ? c->table_bytes : sizeof(c->table);
	struct table t = {.at = c->table, .end = c->table + bytes, .bias = c->biased ? 1 : 0};
	int64_t best = -1, line = 0;

	if (c->line_table != LINES_JAVA)
		return 0;
	while (next(&t)) {
		if (t.bytecode > position || t.bytecode < best)
			continue;
		best = t.bytecode;
		line = t.line;
	}
	return (!t.cut || best == position) && line > 0 && line <= UINT32_MAX ? (u32)line : 0;
}
