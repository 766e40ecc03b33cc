// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Packed rows: what goes in comes out, in few bytes, and damage is an error. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <zstd.h>
#include "base/cleanup.h"
#include "lib/profile/sums/pack.h"

enum { ID, VALUE, TEXT, NR_COLUMNS, MANY = 5000 };

static void add(struct pack *c, uint64_t id, const uint64_t *value, const char *text)
{
	assert_int_equal(pack_number(c, ID, id), 0);
	assert_int_equal(value ? pack_number(c, VALUE, *value) : pack_null(c, VALUE), 0);
	assert_int_equal(text ? pack_text(c, TEXT, text) : pack_null(c, TEXT), 0);
	pack_end_row(c);
}

/* Returns the bytes that it takes. */
static size_t round_trip(const struct pack *c, struct pack *ret)
{
	_cleanup_(freep) uint8_t *data = NULL;
	size_t len;

	assert_int_equal(pack_encode(c, &data, &len), 0);
	assert_int_equal(pack_decode(data, len, ret), 0);
	assert_int_equal(ret->nr, c->nr);
	assert_int_equal(ret->rows, c->rows);
	return len;
}

static void numbers_texts_and_nothing_come_back(void **state)
{
	_cleanup_(pack_done) struct pack c = {.nr = NR_COLUMNS}, read = {.nr = 0};

	add(&c, 1, NULL, NULL);
	add(&c, UINT64_MAX, &(uint64_t){0}, "text");
	add(&c, 7, &(uint64_t){UINT64_MAX}, "");
	add(&c, 3, NULL, "more");
	round_trip(&c, &read);
	assert_true(read.column[ID].numbers.v[1] == UINT64_MAX);
	assert_int_equal(read.column[ID].numbers.v[2], 7);
	assert_true(pack_is_null(&read.column[VALUE], 0));
	assert_false(pack_is_null(&read.column[VALUE], 1));
	assert_int_equal(read.column[VALUE].numbers.v[1], 0);
	assert_true(read.column[VALUE].numbers.v[2] == UINT64_MAX);
	assert_true(pack_is_null(&read.column[VALUE], 3));
	assert_true(pack_is_text(&read.column[TEXT]));
	assert_string_equal(pack_text_at(&read.column[TEXT], 0), "");
	assert_string_equal(pack_text_at(&read.column[TEXT], 1), "text");
	assert_string_equal(pack_text_at(&read.column[TEXT], 2), "");
	assert_string_equal(pack_text_at(&read.column[TEXT], 3), "more");
}

static void what_is_cleared_is_not_there(void **state)
{
	_cleanup_(pack_done) struct pack c = {.nr = NR_COLUMNS}, read = {.nr = 0};

	add(&c, 1, NULL, "text");
	pack_clear(&c);
	add(&c, 2, &(uint64_t){5}, NULL);
	round_trip(&c, &read);
	assert_int_equal(read.column[VALUE].numbers.v[0], 5);
	assert_false(pack_is_text(&read.column[TEXT]));
	assert_true(pack_is_null(&read.column[TEXT], 0));
}

static void no_rows_are_a_block(void **state)
{
	_cleanup_(pack_done) struct pack c = {.nr = NR_COLUMNS}, read = {.nr = 0};

	round_trip(&c, &read);
}

static void a_column_is_of_numbers_or_of_texts(void **state)
{
	_cleanup_(pack_done) struct pack c = {.nr = 1}, other = {.nr = 1};

	assert_int_equal(pack_number(&c, 0, 1), 0);
	pack_end_row(&c);
	assert_int_equal(pack_text(&c, 0, "text"), -EINVAL);
	assert_int_equal(pack_text(&other, 0, "text"), 0);
	pack_end_row(&other);
	assert_int_equal(pack_number(&other, 0, 1), -EINVAL);
}

static void a_row_without_all_its_columns_is_refused(void **state)
{
	_cleanup_(pack_done) struct pack c = {.nr = 2};
	uint8_t *data;
	size_t len;

	assert_int_equal(pack_number(&c, 0, 1), 0);
	pack_end_row(&c);
	assert_int_equal(pack_encode(&c, &data, &len), -EINVAL);
}

/* Ids cost nothing, and a value that jumps no more than its own bytes. */
static void many_rows_cost_few_bytes(void **state)
{
	_cleanup_(pack_done) struct pack c = {.nr = 2}, read = {.nr = 0};
	uint32_t seed = 1;

	for (uint32_t i = 0; i < MANY; i++) {
		seed = seed * 1664525 + 1013904223;
		assert_int_equal(pack_number(&c, 0, 1000000 + i), 0);
		assert_int_equal(pack_number(&c, 1, seed >> 25), 0);
		pack_end_row(&c);
	}
	assert_true(round_trip(&c, &read) < MANY * 11 / 10);
	for (uint32_t i = 0; i < MANY; i++)
		assert_int_equal(read.column[0].numbers.v[i], 1000000 + i);
}

static void a_block_that_is_cut_anywhere_is_damaged(void **state)
{
	_cleanup_(pack_done) struct pack c = {.nr = NR_COLUMNS};
	_cleanup_(freep) uint8_t *data = NULL;
	size_t len;

	add(&c, 1, NULL, "text");
	add(&c, 1000, &(uint64_t){1 << 20}, "text");
	assert_int_equal(pack_encode(&c, &data, &len), 0);
	for (size_t cut = 0; cut < len; cut++) {
		_cleanup_(pack_done) struct pack read = {.nr = 0};

		assert_int_equal(pack_decode(data, cut, &read), -EBADMSG);
	}
}

static void refused(const uint8_t *data, size_t len, int err)
{
	_cleanup_(pack_done) struct pack read = {.nr = 0};

	assert_int_equal(pack_decode(data, len, &read), err);
}

#define BYTES(...) (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__})

static void what_cannot_be_is_refused(void **state)
{
	/* version, packing, rows, columns, bytes; kinds; columns */
	refused(BYTES(2, 0, 0, 0, 0), -ENOTSUP);
	refused(BYTES(1, 2, 0, 0, 0), -ENOTSUP);
	refused(BYTES(1, 0, 1, PACK_MAX + 1, 1, 1, 1), -ENOTSUP);
	refused(BYTES(1, 0, 1, 1, 1, 3, 1), -ENOTSUP);		/* no such kind */
	refused(BYTES(1, 0, 1, 1, 2, 6, 0, 0), -ENOTSUP);	/* texts are not NULL */
	refused(BYTES(1, 0, 1, 1, 2, 1, 1, 1), -EBADMSG);	/* a byte is left */
	refused(BYTES(1, 0, 2, 1, 1, 1, 1), -EBADMSG);		/* too few for two rows */
	refused(BYTES(1, 0, 1, 1, 1, 2, 'x'), -EBADMSG);	/* a text without an end */
	refused(BYTES(1, 0, 0x81, 0x80, 4, 1, 1, 1), -EBADMSG); /* 65,537 rows */
	refused(BYTES(1, 1, 1, 1, 1, 1, 'x'), -EBADMSG);	/* not of zstd */
	refused(BYTES(1, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2), -EBADMSG);
}

/* One text of 8 MiB takes some hundred bytes: so few may not ask for so much memory. */
static void a_few_bytes_are_no_megabytes(void **state)
{
	static char text[8 << 20];
	const uint8_t head[] = {1, 1, 1, 1, 0x80, 0x80, 0x80, 4, 2}; /* packed, one row, one column, 8 MiB, texts */
	uint8_t block[65536];
	size_t len;

	memset(text, 'a', sizeof(text) - 1);
	memcpy(block, head, sizeof(head));
	len = ZSTD_compress(block + sizeof(head), sizeof(block) - sizeof(head), text, sizeof(text), 3);
	assert_false(ZSTD_isError(len));
	assert_true(len * PACK_BYTES_A_BYTE < sizeof(text));
	refused(block, sizeof(head) + len, -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_texts_and_nothing_come_back),
		cmocka_unit_test(what_is_cleared_is_not_there),
		cmocka_unit_test(no_rows_are_a_block),
		cmocka_unit_test(a_column_is_of_numbers_or_of_texts),
		cmocka_unit_test(a_row_without_all_its_columns_is_refused),
		cmocka_unit_test(many_rows_cost_few_bytes),
		cmocka_unit_test(a_block_that_is_cut_anywhere_is_damaged),
		cmocka_unit_test(what_cannot_be_is_refused),
		cmocka_unit_test(a_few_bytes_are_no_megabytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
