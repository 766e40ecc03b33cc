/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Lines of code of Python: as each Python says itself, from tables that are cut, and from any bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "abi/frame.h"
#include "lib/lang/python_lines.h"

struct row {
	const char *name;
	enum line_table form;
	u32 first_line, table_bytes;
	const char *table;
	struct {
		u32 position, line;
	} change[80]; /* the last one is the end of the code */
};

static const struct row rows[] = {
#include "python_lines.rows"
};

#define NR_ROWS (sizeof(rows) / sizeof(rows[0]))

static struct code_content content(const struct row *r)
{
	struct code_content c = {
		.language = LANGUAGE_PYTHON,
		.line_table = r->form,
		.table_bytes = r->table_bytes,
		.first_line = r->first_line,
	};

	assert_true(r->table_bytes <= sizeof(c.table));
	memcpy(c.table, r->table, r->table_bytes);
	return c;
}

static u32 line_at(const struct code_content *c, u32 position)
{
	u32 kept = c->table_bytes < sizeof(c->table) ? c->table_bytes : sizeof(c->table);

	return python_lines_find(c, c->table, kept, position);
}

static u32 end_of(const struct row *r)
{
	u32 i = 1;

	while (r->change[i].position)
		i++;
	return r->change[i - 1].position;
}

static u32 expected(const struct row *r, u32 position)
{
	u32 i = 0;

	while (r->change[i + 1].position && r->change[i + 1].position <= position)
		i++;
	return r->change[i].line;
}

static void python_lines__are_those_that_python_says(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR_ROWS; i++) {
		struct code_content c = content(&rows[i]);

		for (u32 at = 0, end = end_of(&rows[i]); at < end; at++)
			if (line_at(&c, at) != expected(&rows[i], at))
				fail_msg("%s: at %u line %u, not %u", rows[i].name, at, line_at(&c, at),
					 expected(&rows[i], at));
	}
}

static void python_lines__without_position_are_the_first(void **state)
{
	struct code_content c = content(&rows[0]);

	(void)state;
	assert_int_equal(line_at(&c, FRAME_POSITION), rows[0].first_line);
	c.line_table = LINES_UNKNOWN;
	assert_int_equal(line_at(&c, FRAME_POSITION), rows[0].first_line);
	assert_int_equal(line_at(&c, 0), 0);
	c.line_table = 255;
	assert_int_equal(line_at(&c, 0), 0);
}

/*
 * The code of @r behind one unit of other code, with a table of which only the first @kept bytes are in the room that there
 * is. What comes before takes so much of the room as is left: in 3.11 the columns of a range, else empty ranges.
 */
static struct code_content cut(const struct row *r, u32 kept)
{
	struct code_content c = {
		.line_table = r->form, .table_bytes = sizeof(c.table) + 1, .first_line = r->first_line};
	u32 before = sizeof(c.table) - kept;

	if (r->form == LINES_PYTHON_3_11)
		c.table[0] = 0x80;
	else
		c.table[0] = 2;
	memcpy(c.table + before, r->table, kept);
	return c;
}

/* A table that ends early says the same as the whole one, or nothing. */
static void python_lines__of_a_cut_table_are_right_or_none(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR_ROWS; i++) {
		u32 step = rows[i].form == LINES_PYTHON_3_11 ? 1 : 2, end = end_of(&rows[i]), line;

		for (u32 kept = 0; kept < rows[i].table_bytes; kept += step) {
			struct code_content c = cut(&rows[i], kept);

			for (u32 at = 0; at < end; at++) {
				line = line_at(&c, at + 1);
				if (line && line != expected(&rows[i], at))
					fail_msg("%s, %u bytes: at %u line %u, not %u", rows[i].name, kept, at, line,
						 expected(&rows[i], at));
			}
			if (!kept || step == 2) /* the last bytes of a table of 3.11 are of columns */
				assert_int_equal(line_at(&c, end), 0);
		}
	}
}

/* Numbers that never end, lines below the first and beyond 32 bits, and ranges without an end. */
static void python_lines__of_damaged_tables_are_none(void **state)
{
	struct code_content c = {.line_table = LINES_PYTHON_3_11, .first_line = 3, .table_bytes = sizeof(c.table)};

	(void)state;
	memset(c.table, 0xff, sizeof(c.table));
	c.table[0] = 0x80 | 13 << 3;
	assert_int_equal(line_at(&c, 0), 0);
	c.table[1] = 9; /* 4 lines back */
	assert_int_equal(line_at(&c, 0), 0);
	c.first_line = UINT32_MAX;
	c.table[1] = 8; /* 4 lines on */
	assert_int_equal(line_at(&c, 0), 0);
	memset(c.table, 0, sizeof(c.table));
	c.line_table = LINES_PYTHON_3_10;
	assert_int_equal(line_at(&c, 0), 0);
	assert_int_equal(line_at(&c, FRAME_POSITION - 1), 0);
	c.table_bytes = 0;
	assert_int_equal(line_at(&c, 0), 0);
	c.line_table = LINES_PYTHON_3_8;
	assert_int_equal(line_at(&c, 0), UINT32_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(python_lines__are_those_that_python_says),
		cmocka_unit_test(python_lines__without_position_are_the_first),
		cmocka_unit_test(python_lines__of_a_cut_table_are_right_or_none),
		cmocka_unit_test(python_lines__of_damaged_tables_are_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
