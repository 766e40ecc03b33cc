/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Are the functions of a Go program found in the table of each version of Go? Tables are laid out here as linkers do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "lib/symbols/gopclntab.h"

#define TEXT 0x401000UL

static struct {
	unsigned char bytes[512];
	size_t nr;
} table;

static void put(uint64_t value, size_t bytes)
{
	memcpy(table.bytes + table.nr, &value, bytes);
	table.nr += bytes;
}

static void put_at(size_t offset, uint64_t value, size_t bytes)
{
	memcpy(table.bytes + offset, &value, bytes);
}

static void begin(uint32_t magic)
{
	memset(&table, 0, sizeof(table));
	put(magic, 4);
	put(0, 2);
	put(1, 1); /* an instruction's least length */
	put(8, 1); /* of a pointer */
	put(2, 8); /* functions */
}

/* Two functions, of 0x20 and 0x30 bytes. Offsets are from @funcs on, those of names from @names on. */
static void put_functions(size_t size, uint64_t text, size_t funcs, size_t names)
{
	size_t functab = table.nr, main_main, main_leaf;

	for (int i = 0; i < 5; i++)
		put(0, size);
	main_leaf = table.nr;
	put(text, size);
	put(names + 1, 4);
	main_main = table.nr;
	put(text + 0x20, size);
	put(names + 1 + strlen("main.leaf") + 1, 4);
	put_at(functab, text, size);
	put_at(functab + size, main_leaf - funcs, size);
	put_at(functab + 2 * size, text + 0x20, size);
	put_at(functab + 3 * size, main_main - funcs, size);
	put_at(functab + 4 * size, text + 0x50, size);
}

static size_t put_names(void)
{
	static const char names[] = "\0main.leaf\0main.main";
	size_t at = table.nr;

	memcpy(table.bytes + table.nr, names, sizeof(names));
	table.nr += sizeof(names);
	return at;
}

/* All offsets are from the table's beginning on. */
static void make_1_2(void)
{
	begin(0xfffffffb);
	put_functions(8, TEXT, 0, 256);
	table.nr = 256;
	put_names();
}

static void make_later(uint32_t magic, bool compact)
{
	size_t words = compact ? 7 : 6;

	begin(magic);
	put(0, 8); /* files */
	if (compact)
		put(TEXT, 8);
	for (size_t i = compact ? 3 : 2; i <= words; i++)
		put(0, 8);
	put_at(8 + 8 * (compact ? 3 : 2), put_names(), 8);
	put_at(8 + 8 * words, table.nr, 8);
	put_functions(compact ? 4 : 8, compact ? 0 : TEXT, table.nr, 0);
}

static void check(void)
{
	char *copy = malloc(table.nr);
	struct gopclntab_function f;
	struct gopclntab t;

	memcpy(copy, table.bytes, table.nr);
	assert_true(gopclntab_open(&t, copy, table.nr));
	assert_int_equal(t.nr, 2);
	assert_true(gopclntab_function(&t, 0, &f));
	assert_string_equal(f.name, "main.leaf");
	assert_int_equal(f.start, TEXT);
	assert_int_equal(f.end, TEXT + 0x20);
	assert_true(gopclntab_function(&t, 1, &f));
	assert_string_equal(f.name, "main.main");
	assert_int_equal(f.start, TEXT + 0x20);
	assert_int_equal(f.end, TEXT + 0x50);
	assert_false(gopclntab_function(&t, 2, &f));
	free(copy);
	/* However it is cut, nothing behind its end is read (ASan). */
	for (size_t bytes = 0; bytes < table.nr; bytes++) {
		copy = malloc(bytes + !bytes);
		memcpy(copy, table.bytes, bytes);
		if (gopclntab_open(&t, copy, bytes))
			for (uint32_t i = 0; i < 2; i++)
				if (gopclntab_function(&t, i, &f))
					assert_true(strlen(f.name) == strlen("main.leaf"));
		free(copy);
	}
}

static void gopclntab__each_format_is_read(void **state)
{
	(void)state;
	make_1_2();
	check();
	make_later(0xfffffffa, false);
	check();
	make_later(0xfffffff0, true);
	check();
	make_later(0xfffffff1, true);
	check();
}

static void gopclntab__what_makes_no_sense_has_no_names(void **state)
{
	struct gopclntab_function f;
	struct gopclntab t;

	(void)state;
	make_later(0xfffffff1, true);
	put_at(8, 3, 8); /* functions, of which there are two */
	assert_true(gopclntab_open(&t, table.bytes, table.nr));
	assert_false(gopclntab_function(&t, 2, &f));
	put_at(8, 1000, 8);
	assert_false(gopclntab_open(&t, table.bytes, table.nr));
	make_later(0xfffffff2, true);
	assert_false(gopclntab_open(&t, table.bytes, table.nr));
	make_later(0xfffffff1, true);
	table.bytes[7] = 4; /* pointers of 32 bits */
	assert_false(gopclntab_open(&t, table.bytes, table.nr));
	make_later(0xfffffff1, true);
	put_at(8, UINT64_MAX, 8);
	assert_false(gopclntab_open(&t, table.bytes, table.nr));
	/* The two places that have a function's address differ. */
	make_later(0xfffffff1, true);
	assert_true(gopclntab_open(&t, table.bytes, table.nr));
	put_at(t.functab + 8, 0x10, 4);
	assert_false(gopclntab_function(&t, 1, &f));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gopclntab__each_format_is_read),
		cmocka_unit_test(gopclntab__what_makes_no_sense_has_no_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
