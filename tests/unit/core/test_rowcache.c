/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Is a row that is found the complete row that was put there, whatever other threads do? */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "core/rowcache.h"

#define THREADS 4
#define TURNS 200000

/* A row whose every byte tells its key. */
static struct row row_of(u64 key)
{
	struct row row;

	memset(&row, (int)(key * 31 + 7), sizeof(row));
	return row;
}

static bool equal(const struct row *row, u64 key)
{
	struct row want = row_of(key);

	return !memcmp(row, &want, sizeof(want));
}

/* @n keys of one entry. */
static void colliding_keys(u64 *key, u32 n)
{
	const struct row_entry *e = rowcache_entry(rowcache_key(1, 0, false));

	for (u64 off = 0; n; off++)
		if (rowcache_entry(rowcache_key(1, off, false)) == e) {
			*key++ = rowcache_key(1, off, false);
			n--;
		}
}

static void what_was_put_is_found(void **state)
{
	struct row row;

	for (u64 off = 0; off < 1000; off++) {
		u64 key = rowcache_key(3, off, false);

		assert_int_equal(rowcache_get(key, 0, &row), -ENOENT);
		row = row_of(key);
		rowcache_put(key, 0, &row);
		memset(&row, 0, sizeof(row));
		assert_int_equal(rowcache_get(key, 0, &row), 0);
		assert_true(equal(&row, key));
	}
}

static void the_same_offset_of_another_module_is_another_place(void **state)
{
	assert_true(rowcache_key(1, 5, false) != rowcache_key(2, 5, false));
	assert_true(rowcache_key(1, 5, false) != rowcache_key(1, 6, false));
	assert_int_equal(rowcache_key(1, -1ULL, false) >> 48, 1);
	assert_true(rowcache_key(1, 0, false) != 0);
}

static void the_last_of_two_that_share_an_entry_is_found(void **state)
{
	struct row row;
	u64 key[2];

	colliding_keys(key, 2);
	for (u32 i = 0; i < 2; i++) {
		row = row_of(key[i]);
		rowcache_put(key[i], 0, &row);
	}
	assert_int_equal(rowcache_get(key[0], 0, &row), -ENOENT);
	assert_int_equal(rowcache_get(key[1], 0, &row), 0);
	assert_true(equal(&row, key[1]));
}

static void an_entry_that_is_being_written_is_neither_read_nor_overwritten(void **state)
{
	u64 key = rowcache_key(4, 4, false);
	struct row_entry *e = rowcache_entry(key);
	struct row row = row_of(key), other = row_of(key + 1);
	u32 sequence;

	rowcache_put(key, 0, &row);
	sequence = e->sequence++;
	rowcache_put(key, 0, &other);
	assert_int_equal(rowcache_get(key, 0, &row), -ENOENT);
	assert_int_equal(e->sequence, sequence + 1);
	e->sequence = sequence;
	assert_int_equal(rowcache_get(key, 0, &row), 0);
	assert_true(equal(&row, key));
}

static u64 contended[3];

static void *put_and_get(void *arg)
{
	unsigned int seed = (uintptr_t)arg;
	uintptr_t mixed = 0;
	struct row row;

	for (u32 i = 0; i < TURNS; i++) {
		u64 key = contended[rand_r(&seed) % COUNT(contended)];

		if (i & 1) {
			row = row_of(key);
			rowcache_put(key, 0, &row);
		} else if (!rowcache_get(key, 0, &row) && !equal(&row, key)) {
			mixed++;
		}
	}
	return (void *)mixed;
}

static void no_reader_gets_a_mixed_row(void **state)
{
	pthread_t thread[THREADS];
	struct row row;
	void *mixed;

	colliding_keys(contended, COUNT(contended));
	for (uintptr_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, put_and_get, (void *)(i + 1)), 0);
	for (u32 i = 0; i < THREADS; i++) {
		assert_int_equal(pthread_join(thread[i], &mixed), 0);
		assert_ptr_equal(mixed, NULL);
	}
	row = row_of(contended[0]); /* and the entry still works */
	rowcache_put(contended[0], 0, &row);
	assert_int_equal(rowcache_get(contended[0], 0, &row), 0);
}

/* Also where both have the same place in the cache. */
static void rowcache__a_row_is_its_owners_only(void **state)
{
	u64 key = rowcache_key(5, 5, false);
	struct row row = {.cfa_off = 8}, got;
	u32 owner = 1;

	while (rowcache_entry(key + owner) != rowcache_entry(key))
		owner++;
	rowcache_put(key, owner, &row);
	assert_int_equal(rowcache_get(key, owner, &got), 0);
	assert_int_equal(got.cfa_off, 8);
	assert_int_equal(rowcache_get(key, 0, &got), -ENOENT);
	rowcache_put(key, 0, &row);
	assert_int_equal(rowcache_get(key, 0, &got), 0);
	assert_int_equal(rowcache_get(key, owner, &got), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rowcache__a_row_is_its_owners_only),
		cmocka_unit_test(what_was_put_is_found),
		cmocka_unit_test(the_same_offset_of_another_module_is_another_place),
		cmocka_unit_test(the_last_of_two_that_share_an_entry_is_found),
		cmocka_unit_test(an_entry_that_is_being_written_is_neither_read_nor_overwritten),
		cmocka_unit_test(no_reader_gets_a_mixed_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
