/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Do the three windows on the target's memory (reader, page, stack) show what is there, and nothing that is not? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/machine.h"
#include "core/page.h"
#include "port/port_buffer.h"
#include "port/writer.h"

#define ADDR 0x10000000ULL

static u8 bytes[4 * PAGE_BYTES];
static struct reader r;
static struct page page;
static struct machine m;

static void map_all(void)
{
	for (u32 i = 0; i < sizeof(bytes); i++)
		bytes[i] = i * 7 + (i >> 8);
	port_reset();
	port_map(ADDR, bytes, sizeof(bytes), (struct vma){0});
	memset(&m, 0, sizeof(m));
	page.len = 0;
}

static void words_are_little_endian(void **state)
{
	map_all();
	memcpy(bytes, "\x01\x23\x45\x67\x89\xab\xcd\xef\x01\x23\x45\x67\x89\xab\xcd", 15);
	assert_int_equal(reader_seek(&r, ADDR), 0);
	assert_int_equal(reader_u8(&r), 0x01);
	assert_int_equal(reader_u16(&r), 0x4523);
	assert_int_equal(reader_u32(&r), 0xcdab8967);
	assert_int_equal(reader_u64(&r), 0xcdab8967452301ef);
	assert_int_equal(reader_addr(&r), ADDR + 15);
}

static void leb128_comes_back_as_it_was_written(void **state)
{
	static const u64 values[] = {0, 1, 63, 64, 127, 128, 16383, 16384, 0x7fffffff, 1ULL << 62, 1ULL << 63, ~0ULL};
	struct writer w = {.bytes = bytes, .addr = ADDR, .room = READER_WINDOW};

	map_all();
	for (size_t i = 0; i < COUNT(values); i++) {
		w.len = 0;
		put_uleb(&w, values[i]);
		put_sleb(&w, values[i]);
		put_sleb(&w, (s64)-values[i]);
		assert_int_equal(reader_seek(&r, ADDR), 0);
		assert_int_equal(reader_uleb(&r), values[i]);
		assert_int_equal(reader_sleb(&r), (s64)values[i]);
		assert_int_equal(reader_sleb(&r), (s64)-values[i]);
		assert_int_equal(reader_addr(&r), here(&w));
	}
}

static void leb128_ends_after_ten_bytes(void **state)
{
	map_all();
	memset(bytes, 0xff, 20);
	assert_int_equal(reader_seek(&r, ADDR), 0);
	assert_int_equal(reader_uleb(&r), ~0ULL);
	assert_int_equal(reader_addr(&r), ADDR + 10);
}

static void a_reader_reads_on_across_windows_and_pages(void **state)
{
	map_all();
	assert_int_equal(reader_seek(&r, ADDR), 0);
	for (u32 i = 0; i + 7 <= sizeof(bytes); i += 7) {
		assert_int_equal(reader_ready(&r), 0);
		for (u32 j = i; j < i + 7; j++)
			assert_int_equal(reader_u8(&r), bytes[j]);
	}
	assert_int_equal(reader_check(&r), 0);
}

static void all_bytes_up_to_the_end_of_a_mapping_can_be_read(void **state)
{
	u64 end = ADDR + sizeof(bytes);

	map_all();
	for (u64 addr = end - 300; addr < end; addr++) {
		assert_int_equal(reader_seek(&r, addr), 0);
		while (reader_addr(&r) < end) {
			u64 at = reader_addr(&r);

			assert_int_equal(reader_ready(&r), 0);
			assert_int_equal(reader_u8(&r), bytes[at - ADDR]);
		}
		assert_int_equal(reader_check(&r), 0);
		assert_int_equal(reader_u8(&r), 0);
		assert_int_equal(reader_check(&r), -EFAULT);
		assert_int_equal(reader_ready(&r), -EFAULT);
	}
	assert_int_equal(reader_seek(&r, end), -EFAULT);
}

static void an_item_that_was_skipped_past_the_end_stays_wrong(void **state)
{
	map_all();
	assert_int_equal(reader_seek(&r, ADDR + sizeof(bytes) - 2), 0);
	reader_u32(&r);
	reader_skip(&r, 8);
	assert_int_equal(reader_check(&r), -EFAULT);
	assert_int_equal(reader_ready(&r), -EFAULT);
	assert_int_equal(reader_seek(&r, ADDR), 0);
	assert_int_equal(reader_check(&r), 0);
}

static void a_page_that_is_not_safe_is_not_taken_for_one_that_is_not_there(void **state)
{
	map_all();
	port_not_safe(ADDR + PAGE_BYTES, ADDR + 2 * PAGE_BYTES);
	assert_int_equal(reader_seek(&r, ADDR + PAGE_BYTES - 3), 0);
	assert_int_equal(reader_u16(&r), bytes[PAGE_BYTES - 3] | bytes[PAGE_BYTES - 2] << 8);
	assert_int_equal(reader_check(&r), 0);
	reader_u16(&r);
	assert_int_equal(reader_check(&r), -EACCES);
	assert_int_equal(reader_ready(&r), -EACCES);
	assert_int_equal(reader_seek(&r, ADDR + PAGE_BYTES), -EACCES);
}

static void a_page_holds_words_wherever_it_is_asked(void **state)
{
	map_all();
	for (u64 addr = ADDR; addr + 24 <= ADDR + sizeof(bytes); addr += 4) {
		u32 want;

		assert_int_equal(page_hold(&page, addr, 24), 0);
		assert_true(page_has(&page, addr) >= 24);
		for (u32 i = 0; i < 24; i += 4) {
			memcpy(&want, bytes + (addr + i - ADDR), sizeof(want));
			assert_int_equal(page_word(&page, addr + i), want);
		}
	}
	assert_true(page.reads <= sizeof(bytes) / PAGE_BYTES + 2);
}

static void a_page_holds_what_is_left_of_its_mapping(void **state)
{
	u64 end = ADDR + sizeof(bytes);
	u32 want;

	map_all();
	for (u32 left = 4; left < 24; left += 4) {
		assert_int_equal(page_hold(&page, end - left, 24), 0);
		assert_int_equal(page_has(&page, end - left), left);
		assert_int_equal(page.end_error, -EFAULT);
		memcpy(&want, bytes + sizeof(bytes) - left, sizeof(want));
		assert_int_equal(page_word(&page, end - left), want);
	}
	assert_int_equal(page_hold(&page, end, 24), -EFAULT);
	port_not_safe(end - PAGE_BYTES, end);
	assert_int_equal(page_hold(&page, end - PAGE_BYTES - 8, 24), 0);
	assert_int_equal(page.end_error, -EACCES);
	assert_int_equal(page_hold(&page, end - PAGE_BYTES, 24), -EACCES);
}

static u64 word_at(u64 addr)
{
	u64 val;

	memcpy(&val, bytes + (addr - ADDR), sizeof(val));
	return val;
}

static void the_stack_is_read_right_at_any_alignment_up_and_down(void **state)
{
	u64 val;

	map_all();
	for (u64 addr = ADDR; addr + 8 <= ADDR + sizeof(bytes); addr += 5) {
		assert_int_equal(stack_read(&m, addr, &val), 0);
		assert_int_equal(val, word_at(addr));
	}
	for (u64 addr = ADDR + sizeof(bytes) - 8; addr > ADDR + 24; addr -= 24) {
		assert_int_equal(stack_read(&m, addr, &val), 0);
		assert_int_equal(val, word_at(addr));
	}
}

static void a_stack_that_is_climbed_is_read_a_window_at_a_time(void **state)
{
	u64 val;

	map_all();
	for (u64 addr = ADDR; addr < ADDR + sizeof(bytes); addr += 8)
		assert_int_equal(stack_read(&m, addr, &val), 0);
	assert_int_equal(port_reads(), sizeof(bytes) / STACK_WINDOW);
}

static void the_last_word_of_a_stack_is_read_and_not_the_next(void **state)
{
	u64 val = 1, end = ADDR + sizeof(bytes);

	map_all();
	assert_int_equal(stack_read(&m, end - 8, &val), 0);
	assert_int_equal(val, word_at(end - 8));
	val = 1;
	assert_int_equal(stack_read(&m, end - 4, &val), -EFAULT);
	assert_int_equal(stack_read(&m, end, &val), -EFAULT);
	assert_int_equal(val, 1);
	assert_int_equal(stack_read(&m, ~0ULL - 7, &val), -EFAULT);
	assert_int_equal(stack_read(&m, 0, &val), -EFAULT);
}

static void a_stack_is_read_up_to_a_page_that_is_not_safe(void **state)
{
	u64 val, end = ADDR + 2 * PAGE_BYTES;

	map_all();
	port_not_safe(end, end + PAGE_BYTES);
	for (u64 addr = end - STACK_WINDOW; addr < end; addr += 8) {
		assert_int_equal(stack_read(&m, addr, &val), 0);
		assert_int_equal(val, word_at(addr));
	}
	assert_int_equal(stack_read(&m, end, &val), -EACCES);
	assert_int_equal(stack_read(&m, end - 8, &val), 0); /* and what was known still is */
	assert_int_equal(val, word_at(end - 8));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_are_little_endian),
		cmocka_unit_test(leb128_comes_back_as_it_was_written),
		cmocka_unit_test(leb128_ends_after_ten_bytes),
		cmocka_unit_test(a_reader_reads_on_across_windows_and_pages),
		cmocka_unit_test(all_bytes_up_to_the_end_of_a_mapping_can_be_read),
		cmocka_unit_test(an_item_that_was_skipped_past_the_end_stays_wrong),
		cmocka_unit_test(a_page_that_is_not_safe_is_not_taken_for_one_that_is_not_there),
		cmocka_unit_test(a_page_holds_words_wherever_it_is_asked),
		cmocka_unit_test(a_page_holds_what_is_left_of_its_mapping),
		cmocka_unit_test(the_stack_is_read_right_at_any_alignment_up_and_down),
		cmocka_unit_test(a_stack_that_is_climbed_is_read_a_window_at_a_time),
		cmocka_unit_test(the_last_word_of_a_stack_is_read_and_not_the_next),
		cmocka_unit_test(a_stack_is_read_up_to_a_page_that_is_not_safe),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
