/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where reads do not sleep, a walk waits for a page and goes back to the frame's start: is it the same walk? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "abi/frame.h"
#include "core/rowcache.h"
#include "port/image.h"
#include "port/port_buffer.h"
#include "test_arch.h"

#define FUNCTION(n) (IMAGE_CODE + 64 * (n))
#define CALLS 600 /* more words of stack than a page has */

static struct image im;
static struct walk w;

static void forget(void)
{
	memset(rowcache, 0, sizeof(rowcache));
	memset(ehframe_marks, 0, sizeof(ehframe_marks));
	memset(&w, 0, sizeof(w));
}

/* Function 0, called by itself, and at last by 1, which is the outermost. */
static void begin(void)
{
	port_reset();
	port_module_number(1);
	forget();
	image_init(&im);
	image_fde(&im, FUNCTION(0), 64, INSNS(0x0e, 16));
	image_fde(&im, FUNCTION(1), 64, INSNS(0x07, REG_RA));
	for (u32 i = 0; i < CALLS; i++) {
		put64(&im.up, i);
		put64(&im.up, FUNCTION(i + 1 == CALLS) + 9);
	}
	image_map(&im);
}

static u32 walk(bool waits)
{
	port_wait_for_pages(waits ? &w.modules : NULL);
	image_start(&im, &w, FUNCTION(0) + 1);
	w.no_cache = 0;
	w.max_depth = MAX_DEPTH;
	walk_stack(&w);
	return w.outcome;
}

static void a_walk_that_waits_for_each_page_has_the_same_frames(void **state)
{
	static struct stack out;

	begin();
	assert_int_equal(walk(false), UNDEFINED_RA);
	assert_int_equal(w.out.nr, CALLS + 1);
	out = w.out;
	begin();
	assert_int_equal(walk(true), UNDEFINED_RA);
	assert_true(port_pages_waited_for() >= 5); /* the file's header, both tables, the stack's pages */
	assert_int_equal(w.out.nr, out.nr);
	assert_memory_equal(w.out.frame, out.frame, out.nr * sizeof(out.frame[0]));
	assert_false(w.modules.wait.bytes);
}

static void what_was_learnt_while_a_page_was_missing_is_not_shared(void **state)
{
	struct row row = {0};
	u32 pages;

	begin();
	walk(true);
	pages = port_pages_waited_for();
	for (u32 i = 0; i < w.modules.nr; i++)
		assert_int_equal(w.modules.range[i].kind, MODULE_ELF);
	assert_int_equal(w.modules.nr, 1);
	assert_int_equal(rowcache_get(rowcache_key(1, FUNCTION(0) + 8 - IMAGE_BASE, true), 0, &row), 0);
	assert_int_equal(row.rule[SLOT_RA], RULE_OFFSET);
	assert_false(row.flags & ROW_FRAME_POINTER);
	assert_true(pages < 16);
}

static void the_page_that_does_not_come_ends_the_walk(void **state)
{
	begin();
	port_not_safe(im.up.addr + 2 * PAGE_BYTES, STACK_END);
	assert_int_equal(walk(true), PAGE_NOT_SAFE);
	assert_true(w.out.nr > 1 && w.out.nr < CALLS);
	begin();
	port_unmap(STACK_END - 8);
	assert_int_equal(walk(true), STACK_UNREADABLE);
	assert_int_equal(w.out.nr, 1);
}

/* Of the functions 2 and 3 the second has its CFA in rbp, which the first one has saved, on another page. */
static void a_register_that_was_read_before_the_wait_is_not_read_twice(void **state)
{
	u64 far;

	port_reset();
	port_module_number(1);
	forget();
	image_init(&im);
	image_fde(&im, FUNCTION(1), 64, INSNS(0x07, REG_RA));
	image_fde(&im, FUNCTION(2), 64, INSNS(0x0e, 24, 0x80 | REG_FP, 2));
	image_fde(&im, FUNCTION(3), 64, INSNS(0x0c, REG_FP, 16));
	far = im.up.addr + 3 * PAGE_BYTES;
	put64(&im.up, 7); /* what is on top is looked at, whether it may be a return address */
	put64(&im.up, far);
	put64(&im.up, FUNCTION(3) + 9);
	while (here(&im.up) < far)
		put64(&im.up, 7);
	put64(&im.up, 7);
	put64(&im.up, FUNCTION(1) + 9);
	image_map(&im);
	port_wait_for_pages(&w.modules);
	image_start(&im, &w, FUNCTION(2) + 1);
	w.no_cache = 0;
	walk_stack(&w);
	assert_int_equal(w.outcome, UNDEFINED_RA);
	assert_int_equal(w.out.nr, 3);
}

/* A stub that only its code describes: as long as that cannot be read, it seems to be code with a frame pointer. */
static void a_row_without_a_page_that_is_waited_for_is_not_cached(void **state)
{
	static const u64 stub = IMAGE_CODE + 0x806;
	struct row row = {0};

	if (TEST_MACHINE != EM_X86_64)
		skip();
	begin();
	memcpy(im.bytes + 0x1800, "\xff\x25\1\2\3\4\x68\1\0\0\0\xe9\1\2\3\4", 16);
	im.bytes[FUNCTION(1) + 4 - IMAGE_BASE] = 0xe8; /* a call before the return address */
	im.up.len = 0;
	put64(&im.up, FUNCTION(1) + 9);
	port_wait_for_pages(&w.modules);
	image_start(&im, &w, stub);
	w.no_cache = 0;
	walk_stack(&w);
	assert_int_equal(rowcache_get(rowcache_key(1, stub - IMAGE_BASE, false), 0, &row), 0);
	assert_int_equal(row_method(&row), BY_CODE);
	assert_int_equal(w.outcome, UNDEFINED_RA);
	assert_int_equal(w.out.nr, 2);
}

/* The note lies on a page of its own. That it cannot be read is no error of the walk. */
static void a_file_is_shared_when_all_of_it_was_read(void **state)
{
	static const u64 place[2] = {IMAGE_BYTES - 0x100, IMAGE_BYTES - 0x100};
	struct module *m;

	begin();
	memcpy(im.bytes + place[0], im.bytes + 0x800, 36);
	memset(im.bytes + 0x800, 0, 36);
	memcpy(im.bytes + 64 + 3 * 56 + 8, place, sizeof(place)); /* offset and address of PT_NOTE */
	assert_int_equal(walk(true), UNDEFINED_RA);
	m = port_module(&w.modules.range[0].file);
	assert_non_null(m);
	assert_int_equal(m->build_id_bytes, 20);
	assert_int_equal(m->build_id[19], 0xa0 + 19);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_walk_that_waits_for_each_page_has_the_same_frames),
		cmocka_unit_test(what_was_learnt_while_a_page_was_missing_is_not_shared),
		cmocka_unit_test(the_page_that_does_not_come_ends_the_walk),
		cmocka_unit_test(a_register_that_was_read_before_the_wait_is_not_read_twice),
		cmocka_unit_test(a_row_without_a_page_that_is_waited_for_is_not_cached),
		cmocka_unit_test(a_file_is_shared_when_all_of_it_was_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
