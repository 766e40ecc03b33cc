// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Blocks of windows: what goes in comes out, and damage is an error. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "base/cleanup.h"
#include "lib/profile/sums/window_block.h"

enum { MANY = 5000 };

static struct block_row row(uint64_t kind, uint64_t thread, uint64_t node, uint64_t count)
{
	return (struct block_row){.column = {[BLOCK_KIND] = kind,
					     [BLOCK_THREAD] = thread,
					     [BLOCK_NODE] = node,
					     [BLOCK_COUNT] = count,
					     [BLOCK_VALUE] = 7 * count,
					     [BLOCK_RUNNABLE] = kind}};
}

static int decoded(const uint8_t *data, size_t len)
{
	_cleanup_(pack_done) struct pack block = {.nr = 0};

	return block_decode(data, len, &block);
}

static struct block_row *round_trip(struct block_row *rows, size_t nr, size_t *ret_nr, size_t *ret_len)
{
	_cleanup_(pack_done) struct pack block = {.nr = 0};
	struct block_row *read;
	uint8_t *data;

	assert_int_equal(block_encode(rows, block_sum(rows, nr), &data, ret_len), 0);
	assert_int_equal(block_decode(data, *ret_len, &block), 0);
	free(data);
	*ret_nr = block.rows;
	read = calloc(block.rows + 1, sizeof(*read));
	for (uint32_t i = 0; i < block.rows; i++)
		block_row(&read[i], &block, i);
	return read;
}

static void rows_come_back_sorted_with_sums(void **state)
{
	struct block_row rows[] = {row(1, 2, 3, 10), row(0, 9, 9, 1), row(1, 2, 3, 5), row(1, 2, 2, UINT32_MAX)};
	struct block_row expected[] = {row(0, 9, 9, 1), row(1, 2, 2, UINT32_MAX), row(1, 2, 3, 15)};
	size_t nr, len;
	struct block_row *read = round_trip(rows, 4, &nr, &len);

	expected[2].column[BLOCK_RUNNABLE] = 2;
	assert_int_equal(nr, 3);
	assert_memory_equal(read, expected, sizeof(expected));
	free(read);
}

static void a_window_without_rows_is_a_block(void **state)
{
	size_t nr, len;

	free(round_trip(NULL, 0, &nr, &len));
	assert_int_equal(nr, 0);
}

static void a_sum_that_overflows_saturates(void **state)
{
	struct block_row rows[] = {row(0, 0, 0, UINT64_MAX), row(0, 0, 0, 2)};
	size_t nr, len;
	struct block_row *read = round_trip(rows, 2, &nr, &len);

	assert_int_equal(read->column[BLOCK_COUNT], UINT64_MAX);
	free(read);
}

static void many_rows_cost_few_bytes(void **state)
{
	struct block_row *rows = calloc(MANY, sizeof(*rows)), *read;
	size_t nr, len;

	for (size_t i = 0; i < MANY; i++)
		rows[i] = row(0, i / 50, i * 7919 % MANY, 1 + i % 3);
	read = round_trip(rows, MANY, &nr, &len);
	assert_int_equal(nr, MANY);
	assert_memory_equal(read, rows, MANY * sizeof(*rows));
	assert_true(len < MANY * 6);
	free(read);
	free(rows);
}

static void a_block_that_is_cut_anywhere_is_damaged(void **state)
{
	struct block_row rows[] = {row(0, 1, 2, 3), row(1, 1000, 1 << 20, 4)};
	size_t len;
	uint8_t *data;

	assert_int_equal(block_encode(rows, 2, &data, &len), 0);
	for (size_t cut = 0; cut < len; cut++)
		assert_int_equal(decoded(data, cut), -EBADMSG);
	free(data);
}

static void rows_that_take_no_room_are_not_packed(void **state)
{
	struct block_row *rows = calloc(BLOCK_ROWS_MAX, sizeof(*rows)), *read;
	size_t nr, len;

	for (size_t i = 0; i < BLOCK_ROWS_MAX; i++)
		rows[i] = row(0, 0, i, 1);
	read = round_trip(rows, BLOCK_ROWS_MAX, &nr, &len);
	assert_int_equal(nr, BLOCK_ROWS_MAX);
	assert_true(len > BLOCK_ROWS_MAX / PACK_ROWS_A_BYTE);
	free(read);
	free(rows);
}

static void another_version_is_not_read(void **state)
{
	uint8_t data[] = {2, 0, 0, BLOCK_COLUMNS, 0};

	assert_int_equal(decoded(data, sizeof(data)), -ENOTSUP);
}

#define KINDS 0, 0, 0, 0, 0, 0, 0 /* differences, all of them */

static void rows_out_of_order_bytes_left_over_and_impossible_sizes_are_damage(void **state)
{
	uint8_t in_order[] = {1, 0, 2, BLOCK_COLUMNS, 14, KINDS, 2, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
	uint8_t out_of_order[] = {1, 0, 2, BLOCK_COLUMNS, 14, KINDS, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
	uint8_t left_over[] = {1, 0, 1, BLOCK_COLUMNS, 8, KINDS, 0, 0, 0, 0, 0, 0, 0, 0};
	uint8_t too_few[] = {1, 0, 2, BLOCK_COLUMNS, 13, KINDS, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};

	assert_int_equal(decoded(in_order, sizeof(in_order)), 0);
	assert_int_equal(decoded(out_of_order, sizeof(out_of_order)), -EBADMSG);
	assert_int_equal(decoded(left_over, sizeof(left_over)), -EBADMSG);
	assert_int_equal(decoded(too_few, sizeof(too_few)), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_come_back_sorted_with_sums),
		cmocka_unit_test(a_window_without_rows_is_a_block),
		cmocka_unit_test(a_sum_that_overflows_saturates),
		cmocka_unit_test(many_rows_cost_few_bytes),
		cmocka_unit_test(a_block_that_is_cut_anywhere_is_damaged),
		cmocka_unit_test(rows_out_of_order_bytes_left_over_and_impossible_sizes_are_damage),
		cmocka_unit_test(rows_that_take_no_room_are_not_packed),
		cmocka_unit_test(another_version_is_not_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
