/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Has the code of a stripped Go program its lines, and the functions that were inlined? Programs are laid out here as linkers do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/symbols/go_lines.h"

#define TEXT 0x401000UL
#define CODE_BYTES 0x40
#define DATA 0x500000UL /* of the segment with all that is laid out here; the table comes first */
#define DATA_PLACE 40	/* in moduledata, where the data of functions are: since Go 1.20 */
#define NONE UINT32_MAX

/* The code of main.main: two calls were inlined, the second into the first. */
static const struct {
	uint32_t bytes;
	int32_t file, line, call;
} code[] = {{0x08, 0, 10, -1}, {0x08, 0, 12, -1}, {0x08, 1, 5, 0},
	    {0x08, 1, 6, 0},   {0x10, 1, 20, 1},  {0x10, 0, 13, -1}};

static const struct {
	uint32_t parent, file, line, called_at;
	const char *function;
} calls[] = {{NONE, 0, 12, 0x08, "main.leaf"}, {0, 1, 6, 0x18, "main.deep"}};

static struct image {
	unsigned char bytes[2048];
	size_t nr;
} image;

static size_t put(uint64_t value, size_t bytes)
{
	size_t at = image.nr;

	assert_true(at + bytes <= sizeof(image.bytes));
	memcpy(image.bytes + at, &value, bytes);
	image.nr += bytes;
	return at;
}

static void put_at(size_t at, uint64_t value, size_t bytes)
{
	memcpy(image.bytes + at, &value, bytes);
}

static void align(size_t bytes)
{
	while (image.nr % bytes)
		put(0, 1);
}

static size_t put_text(const char *text)
{
	size_t at = image.nr;

	while (*text)
		put(*text++, 1);
	put(0, 1);
	return at;
}

static int32_t value_of(size_t i, enum gopclntab_kind kind)
{
	return kind == GOPCLNTAB_FILE ? code[i].file : kind == GOPCLNTAB_LINE ? code[i].line : code[i].call;
}

static void put_varint(uint32_t value)
{
	for (; value >= 0x80; value >>= 7)
		put((value & 0x7f) | 0x80, 1);
	put(value, 1);
}

static size_t put_values(enum gopclntab_kind kind)
{
	size_t at = image.nr;
	int32_t before = -1;

	for (size_t i = 0; i < sizeof(code) / sizeof(*code); i++) {
		int32_t change = value_of(i, kind) - before;
		uint32_t bytes = code[i].bytes;

		while (i + 1 < sizeof(code) / sizeof(*code) && value_of(i + 1, kind) == value_of(i, kind))
			bytes += code[++i].bytes;
		put_varint(change < 0 ? ~((uint32_t)change << 1) : (uint32_t)change << 1);
		put_varint(bytes);
		before = value_of(i, kind);
	}
	put(0, 1);
	return at;
}

struct layout {
	uint32_t magic;
	unsigned int tree; /* which data of a function is its tree */
	bool has_text;	   /* the table says where the code is */
};

static bool is_compact(const struct layout *l)
{
	return l->magic == GOPCLNTAB_MAGIC_1_18 || l->magic == GOPCLNTAB_MAGIC_1_20;
}

static size_t put_tree(const struct layout *l, const size_t *names, size_t from)
{
	size_t tree;

	align(8);
	tree = image.nr;
	for (int i = 0; i < 2; i++) {
		if (l->magic == GOPCLNTAB_MAGIC_1_20) {
			put(0, 4);
			put(names[i] - from, 4);
			put(calls[i].called_at, 4);
			put(1, 4);
			continue;
		}
		put(calls[i].parent, 2);
		put(0, 2);
		put(calls[i].file, 4);
		put(calls[i].line, 4);
		put(names[i] - from, 4);
		put(calls[i].called_at, 4);
	}
	return tree;
}

/* moduledata, of which only the words that are read are there. */
static void put_module(size_t names, size_t data)
{
	size_t at;

	align(8);
	at = image.nr;
	for (int i = 0; i < 50; i++)
		put(0, 8);
	put_at(at, DATA, 8);
	put_at(at + 8, DATA + names, 8);
	put_at(at + 8 * 22, TEXT, 8);
	put_at(at + 8 * 36, 0x77, 8); /* no place of anything */
	put_at(at + 8 * DATA_PLACE, DATA + data, 8);
}

static size_t put_head(const struct layout *l)
{
	size_t words = l->magic == GOPCLNTAB_MAGIC_1_2 ? 1 : is_compact(l) ? 8 : 7;

	image = (struct image){0};
	put(l->magic, 4);
	put(0, 2);
	put(1, 1);
	put(8, 1);
	put(1, 8);
	for (size_t i = 1; i < words; i++)
		put(0, 8);
	if (is_compact(l) && l->has_text)
		put_at(8 + 2 * 8, TEXT, 8);
	return image.nr;
}

/* Lay out one function. In the format of Go 1.2 all offsets are from the table's beginning on. */
static void make(const struct layout *l)
{
	size_t size = is_compact(l) ? 4 : 8, head = put_head(l), functab = head, values[3], calls_at[2], file[2];
	size_t names = 0, units = 0, files = 0, tables = 0, name, func, data, tree;
	bool old = l->magic == GOPCLNTAB_MAGIC_1_2;
	uint64_t text = is_compact(l) ? 0 : TEXT;

	if (old)
		for (int i = 0; i < 7; i++)
			put(0, i < 6 ? 8 : 4); /* the functions, and where the files are */
	put(0, 1);
	names = old ? 0 : image.nr - 1;
	name = put_text("main.main");
	for (int i = 0; i < 2; i++)
		calls_at[i] = put_text(calls[i].function);
	put(0, 1);
	files = image.nr;
	file[0] = put_text("/src/a.go");
	file[1] = put_text("/src/b.go");
	align(4);
	units = put(old ? file[0] : file[0] - files, 4);
	put(old ? file[1] : file[1] - files, 4);
	tables = image.nr;
	put(0, 1);
	for (int kind = 0; kind < 3; kind++)
		values[kind] = put_values(kind);
	if (!old) {
		align(8);
		functab = image.nr;
		for (int i = 0; i < 3; i++)
			put(0, size);
	}
	align(8);
	func = put(text, size);
	put(name - names, 4);
	put(0, 4);
	put(0, 4);
	put(0, 4);
	put(values[0] - (old ? 0 : tables), 4);
	put(values[1] - (old ? 0 : tables), 4);
	put(3, 4); /* tables */
	if (!old)
		put(0, 4); /* the unit */
	if (l->magic == GOPCLNTAB_MAGIC_1_20)
		put(1, 4);
	put(0, 3);
	put(l->tree + 1, 1);
	put(0, 4);
	put(0, 4);
	put(values[2] - (old ? 0 : tables), 4);
	align(size);
	data = image.nr;
	for (unsigned int i = 0; i <= l->tree; i++)
		put(is_compact(l) ? NONE : 0, size);
	tree = put_tree(l, calls_at, names);
	put_at(data + l->tree * size, is_compact(l) ? 8 : DATA + tree, size);
	put_at(functab, text, size);
	put_at(functab + size, func - (old ? 0 : functab), size);
	put_at(functab + 2 * size, text + CODE_BYTES, size);
	if (old) {
		put_at(functab + 3 * size, units, 4);
		return;
	}
	head = is_compact(l) ? 3 : 2;
	put_at(8 + 8 * head, names, 8);
	put_at(8 + 8 * (head + 1), units, 8);
	put_at(8 + 8 * (head + 2), files, 8);
	put_at(8 + 8 * (head + 3), tables, 8);
	put_at(8 + 8 * (head + 4), functab, 8);
	if (is_compact(l))
		put_module(names, tree - 8);
}

/* The segment is a copy without room behind it, so that ASan sees what is read there. */
static void open_program(struct go_program *p, size_t bytes)
{
	struct go_segment s = {.address = DATA, .bytes = bytes, .own = malloc(bytes + !bytes)};

	*p = (struct go_program){0};
	s.data = memcpy(s.own, image.bytes, bytes);
	assert_int_equal(vec_push(&p->image.segments, s), 0);
	go_program_find(p, DATA, bytes);
}

/* Write what is at @address, innermost first. */
static const char *places(const struct dwarfread_body *b, uint64_t address)
{
	static char text[256];
	const struct range *r = ranges_find(&b->ranges, address);
	const char *file = "";
	uint32_t line = 0;

	for (size_t i = 0; i < b->lines.nr && b->lines.v[i].address <= address; i++) {
		file = strings_text(&b->strings, b->lines.v[i].file);
		line = b->lines.v[i].line;
	}
	text[0] = 0;
	for (uint32_t i = r ? r->value + 1 : 0; i; i = b->blocks.v[i - 1].parent) {
		const struct dwarfread_block *block = &b->blocks.v[i - 1];
		size_t len = strlen(text);

		snprintf(text + len, sizeof(text) - len, "%s%s %s:%u", len ? ", " : "",
			 strings_text(&b->strings, block->name), file, line);
		file = strings_text(&b->strings, block->call_file);
		line = block->call_line;
	}
	return text;
}

static const struct layout layouts[] = {
	{GOPCLNTAB_MAGIC_1_2, 4, true},	 {GOPCLNTAB_MAGIC_1_16, 4, true}, {GOPCLNTAB_MAGIC_1_16, 3, true},
	{GOPCLNTAB_MAGIC_1_18, 3, true}, {GOPCLNTAB_MAGIC_1_20, 3, true}, {GOPCLNTAB_MAGIC_1_20, 3, false},
};

#define NR_LAYOUTS (sizeof(layouts) / sizeof(*layouts))

static void check(const struct layout *l)
{
	struct dwarfread_body b = {0};
	struct go_program p;

	make(l);
	open_program(&p, image.nr);
	assert_int_equal(p.table.nr, 1);
	assert_int_equal(gopclntab_find(&p.table, TEXT + 0x3f), 0);
	assert_int_equal(gopclntab_find(&p.table, TEXT + 0x40), 1);
	assert_int_equal(go_lines_body(&p, 0, &b), 0);
	assert_string_equal(places(&b, TEXT), "main.main /src/a.go:10");
	assert_string_equal(places(&b, TEXT + 0x0f), "main.main /src/a.go:12");
	assert_string_equal(places(&b, TEXT + 0x10), "main.leaf /src/b.go:5, main.main /src/a.go:12");
	assert_string_equal(places(&b, TEXT + 0x24),
			    "main.deep /src/b.go:20, main.leaf /src/b.go:6, main.main /src/a.go:12");
	assert_string_equal(places(&b, TEXT + 0x3f), "main.main /src/a.go:13");
	assert_string_equal(places(&b, TEXT + 0x40), "");
	dwarfread_body_done(&b);
	go_program_done(&p);
}

static void go_lines__are_of_each_format(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR_LAYOUTS; i++)
		check(&layouts[i]);
}

/* However it is cut, nothing behind its end is read. */
static void go_lines__a_cut_program_is_read_as_far_as_it_goes(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR_LAYOUTS; i++) {
		make(&layouts[i]);
		for (size_t bytes = 0; bytes < image.nr; bytes++) {
			struct dwarfread_body b = {0};
			struct go_program p;

			open_program(&p, bytes);
			assert_int_equal(go_lines_body(&p, 0, &b), 0);
			dwarfread_body_done(&b);
			go_program_done(&p);
		}
	}
}

/* Calls that contain each other, or themselves, have no end. */
static void go_lines__calls_in_a_loop_are_left_out(void **state)
{
	static const struct layout l = {GOPCLNTAB_MAGIC_1_2, 4, true};
	struct dwarfread_body b = {0};
	struct go_program p;
	unsigned char *tree;

	(void)state;
	make(&l);
	open_program(&p, image.nr);
	tree = (unsigned char *)p.image.segments.v[0].own + image.nr - 2 * 20;
	tree[0] = 1; /* the parent of the first call is the second */
	tree[1] = 0;
	assert_int_equal(go_lines_body(&p, 0, &b), 0);
	assert_string_equal(places(&b, TEXT + 0x10), "main.main /src/b.go:5");
	dwarfread_body_done(&b);
	go_program_done(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(go_lines__are_of_each_format),
		cmocka_unit_test(go_lines__a_cut_program_is_read_as_far_as_it_goes),
		cmocka_unit_test(go_lines__calls_in_a_loop_are_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
