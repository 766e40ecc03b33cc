/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Are dynamic symbols found in memory, whatever that has? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "core/lang/symbols.h"
#include "port/port_buffer.h"
#include "port/symbol_table.h"

#define BASE 0x7f0000000000ULL
#define BYTES 0x8000
#define RUNTIME 0x123450
#define VERSION 0x2000

static u8 bytes[BYTES];
static struct writer w;
static struct symbol_table t;
static struct symbols s;
static struct modules ms; /* of the walk that waits for pages */

static const struct symbol python[] = {
	{"PyCode_Type", 0x9000, 7}, {"Py_Version", VERSION, 7}, {"_PyRuntime", RUNTIME, 7}};
static const struct symbol another[] = {{"PyList_Type", 0x9000, 7}, {"_PyRuntimes", RUNTIME, 7}};

static void begin(void)
{
	memset(bytes, 0, sizeof(bytes));
	memset(&s, 0, sizeof(s));
	memset(&ms, 0, sizeof(ms));
	w = (struct writer){.bytes = bytes, .addr = BASE, .room = BYTES};
	t = (struct symbol_table){.bias = BASE, .nr_buckets = 1, .nr_words = 1, .shift = 6};
	port_reset();
	port_map(BASE, bytes, BYTES, (struct vma){0});
}

static void write_table(const struct symbol *symbols, u32 nr)
{
	put_symbol_table(&w, &t, symbols, nr);
}

static void set32(u64 addr, u32 val)
{
	memcpy(bytes + (addr - BASE), &val, sizeof(val));
}

/* What the look-up finds, as a link-time address; 0: nothing. */
static u64 find(u32 which)
{
	assert_int_equal(symbols_open(&s, t.dynamic, BASE), 0);
	assert_int_equal(symbols_find(&s, which), 0);
	return s.found ? s.found - BASE : 0;
}

static void symbols__are_found_in_one_bucket_and_in_several(void **state)
{
	for (u32 buckets = 1; buckets <= 8; buckets++) {
		static struct symbol sorted[COUNT(python)];
		u32 nr = 0;

		begin();
		t.nr_buckets = buckets;
		t.nr_words = buckets & 1 ? 1 : 4;
		for (u32 bucket = 0; bucket < buckets; bucket++)
			for (u32 i = 0; i < COUNT(python); i++)
				if (gnu_hash(python[i].name) % buckets == bucket)
					sorted[nr++] = python[i];
		write_table(sorted, nr);
		assert_int_equal(find(SYMBOL_PYTHON_RUNTIME), RUNTIME);
		assert_int_equal(find(SYMBOL_PYTHON_VERSION), VERSION);
		assert_int_equal(find(SYMBOL_PYTHON_CODE), 0x9000);
	}
}

static void symbols__are_found_by_addresses_and_by_link_time_ones(void **state)
{
	for (int relocated = 0; relocated < 2; relocated++) {
		begin();
		t.is_relocated = relocated;
		write_table(python, COUNT(python));
		assert_int_equal(find(SYMBOL_PYTHON_RUNTIME), RUNTIME);
	}
}

/* Each of these has the symbol: if more than the filter were looked at, it would be found. */
static void symbols__what_the_filter_has_not_is_absent(void **state)
{
	u32 hash = gnu_hash("_PyRuntime");

	for (int bit = 0; bit < 2; bit++) {
		begin();
		write_table(python + 2, 1);
		assert_int_equal(find(SYMBOL_PYTHON_RUNTIME), RUNTIME);
		bytes[t.filter - BASE + (bit ? hash >> 6 : hash) % 64 / 8] &= ~(1 << (bit ? hash >> 6 : hash) % 8);
		assert_int_equal(find(SYMBOL_PYTHON_RUNTIME), 0);
	}
}

static void symbols__what_the_chain_has_not_is_absent(void **state)
{
	begin();
	write_table(another, COUNT(another));
	memset(bytes + (t.filter - BASE), 0xff, 8);
	assert_int_equal(find(SYMBOL_PYTHON_RUNTIME), 0);
	begin();
	write_table(python, 2); /* an empty bucket */
	memset(bytes + (t.filter - BASE), 0xff, 8);
	set32(t.buckets, 0);
	assert_int_equal(find(SYMBOL_PYTHON_VERSION), 0);
}

static void symbols__the_chain_ends_with_its_last_symbol(void **state)
{
	begin();
	write_table(python, COUNT(python));
	set32(t.chains, gnu_hash("PyCode_Type") | 1);
	assert_int_equal(find(SYMBOL_PYTHON_CODE), 0x9000);
	assert_int_equal(find(SYMBOL_PYTHON_RUNTIME), 0);
}

static void symbols__a_name_with_the_same_hash_is_another_one(void **state)
{
	static const char *const others[] = {"_PyRuntimf", "_QyRuntime", "_PyRuntime2"};

	for (u32 i = 0; i < COUNT(others); i++) {
		struct symbol two[] = {{others[i], 0x666, 7}, python[2]};

		begin();
		write_table(two, 2);
		memset(bytes + (t.filter - BASE), 0xff, 8);
		set32(t.chains, gnu_hash("_PyRuntime") & ~1U);
		assert_int_equal(find(SYMBOL_PYTHON_RUNTIME), RUNTIME);
	}
}

static void symbols__what_is_used_only_is_not_there(void **state)
{
	struct symbol undefined = {"_PyRuntime", RUNTIME, 0};

	begin();
	write_table(&undefined, 1);
	assert_int_equal(find(SYMBOL_PYTHON_RUNTIME), 0);
}

static void symbols__the_table_is_found_late_in_the_section(void **state)
{
	begin();
	t.nr_others = 124;
	write_table(python, COUNT(python));
	assert_int_equal(find(SYMBOL_PYTHON_RUNTIME), RUNTIME);
	begin();
	t.nr_others = 128; /* more than is looked at */
	write_table(python, COUNT(python));
	assert_int_equal(symbols_open(&s, t.dynamic, BASE), -ENOENT);
}

static void symbols__a_section_without_a_table_is_told(void **state)
{
	for (u32 entry = 0; entry < 3; entry++) {
		begin();
		write_table(python, COUNT(python));
		set32(t.dynamic + entry * 16, DT_DEBUG);
		assert_int_equal(symbols_open(&s, t.dynamic, BASE), -ENOENT);
	}
}

static void symbols__no_buckets_or_no_filter_is_no_symbol(void **state)
{
	for (u32 word = 0; word < 3; word += 2) {
		begin();
		write_table(python, COUNT(python));
		set32(t.hash + 4 * word, 0);
		assert_int_equal(find(SYMBOL_PYTHON_RUNTIME), 0);
	}
}

/* 2^32 words of filter: the buckets lie 32 GiB further on. */
static void symbols__numbers_that_lead_nowhere_are_an_error(void **state)
{
	begin();
	write_table(python, COUNT(python));
	set32(t.hash + 8, ~0U);
	assert_int_equal(symbols_open(&s, t.dynamic, BASE), 0);
	assert_int_equal(symbols_find(&s, SYMBOL_PYTHON_RUNTIME), -EFAULT);
	assert_false(s.found);
	begin();
	write_table(python, COUNT(python));
	set32(t.buckets, ~0U);
	assert_int_equal(symbols_open(&s, t.dynamic, BASE), 0);
	assert_int_equal(symbols_find(&s, SYMBOL_PYTHON_RUNTIME), -EFAULT);
}

static void symbols__a_chain_without_end_is_left(void **state)
{
	begin();
	write_table(another, 1);
	memset(bytes + (t.filter - BASE), 0xff, 8);
	symbols_open(&s, t.dynamic, BASE);
	for (u64 addr = t.chains; addr < BASE + BYTES; addr += 4)
		set32(addr, 2);
	set32(t.hash + 4, 0);
	port_fail_read(0, 0, false);
	assert_int_equal(symbols_find(&s, SYMBOL_PYTHON_RUNTIME), 0);
	assert_false(s.found);
	assert_in_range(port_reads(), 200, 300);
}

/* All that is read lies on the first page, or, if @gone is behind all of it, is there. */
static void symbols__each_part_that_is_missing_is_an_error(void **state)
{
	begin();
	write_table(python, COUNT(python));
	symbols_open(&s, t.dynamic, BASE);
	port_fail_read(0, 0, false);
	assert_int_equal(symbols_find(&s, SYMBOL_PYTHON_RUNTIME), 0);
	for (u32 nth = 1, reads = port_reads(); nth <= reads; nth++) {
		port_fail_read(nth, -EFAULT, false);
		assert_int_equal(symbols_find(&s, SYMBOL_PYTHON_RUNTIME), -EFAULT);
		assert_false(s.found);
		port_fail_read(nth, -EACCES, false);
		assert_int_equal(symbols_find(&s, SYMBOL_PYTHON_RUNTIME), -EACCES);
	}
	port_fail_read(1, -EFAULT, false);
	assert_int_equal(symbols_open(&s, t.dynamic, BASE), -EFAULT);
}

static void symbols__pages_that_were_waited_for_change_nothing(void **state)
{
	int err;

	begin();
	seek(&w, BASE + PAGE_BYTES - 64); /* its parts are on two pages, or more */
	t.nr_others = 40;
	write_table(python, COUNT(python));
	port_wait_for_pages(&ms);
	for (u32 i = 0; i < 16; i++) {
		ms.wait.bytes = 0;
		err = symbols_open(&s, t.dynamic, BASE) ?: symbols_find(&s, SYMBOL_PYTHON_RUNTIME);
		if (!err)
			break;
		assert_int_equal(err, -EACCES);
		assert_true(ms.wait.bytes);
		port_wait(s.word, ms.wait.bytes, ms.wait.addr);
	}
	assert_int_equal(err, 0);
	assert_int_equal(s.found, BASE + RUNTIME);
	assert_true(port_pages_waited_for() >= 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(symbols__are_found_in_one_bucket_and_in_several),
		cmocka_unit_test(symbols__are_found_by_addresses_and_by_link_time_ones),
		cmocka_unit_test(symbols__what_the_filter_has_not_is_absent),
		cmocka_unit_test(symbols__what_the_chain_has_not_is_absent),
		cmocka_unit_test(symbols__the_chain_ends_with_its_last_symbol),
		cmocka_unit_test(symbols__a_name_with_the_same_hash_is_another_one),
		cmocka_unit_test(symbols__what_is_used_only_is_not_there),
		cmocka_unit_test(symbols__the_table_is_found_late_in_the_section),
		cmocka_unit_test(symbols__a_section_without_a_table_is_told),
		cmocka_unit_test(symbols__no_buckets_or_no_filter_is_no_symbol),
		cmocka_unit_test(symbols__numbers_that_lead_nowhere_are_an_error),
		cmocka_unit_test(symbols__a_chain_without_end_is_left),
		cmocka_unit_test(symbols__each_part_that_is_missing_is_an_error),
		cmocka_unit_test(symbols__pages_that_were_waited_for_change_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
