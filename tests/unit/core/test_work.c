/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where no other code runs meanwhile, is a walk over before it has done much, whatever there is to do? In files made to
 * make it long. What is counted are steps and reads: no time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/tables/encoding.h"
#include "port/image.h"
#include "port/port_buffer.h"

#define FUNCTION(n) (IMAGE_CODE + 64 * (n))
#define MANY 40		   /* functions */
#define READS_AT_ONCE 4096 /* at most, for whatever there is to do */
#define LAST_STEP 2048	   /* the last row may be that much more than the bound */

static struct image im;
static struct walk w;
static u8 *file; /* one that is larger */
static u32 nr_called;

static void begin(void)
{
	port_reset();
	image_init(&im);
	nr_called = 0;
}

/* Frames of two words: function n is called by n + 1, and so on, @nr of them, in turns. */
static void call(u32 nr)
{
	for (; nr_called < nr; nr_called++) {
		put64(&im.up, 1);
		put64(&im.up, FUNCTION((nr_called + 1) % MANY) + 9);
	}
}

static u32 walk_as(bool at_once)
{
	image_start(&im, &w, FUNCTION(0) + 9);
	w.no_cache = 1;
	w.at_once = at_once;
	w.max_depth = MAX_DEPTH;
	port_fail_read(0, 0, false);
	walk_start(&w);
	walk_stack(&w);
	return w.outcome;
}

/* At once it ends before it has done much; with time it comes to @otherwise. */
static void check(u32 otherwise)
{
	assert_int_equal(walk_as(true), TOO_LONG);
	print_message("%u frames, %llu steps, %u reads\n", w.out.nr, (unsigned long long)walk_work(&w), port_reads());
	assert_true(walk_work(&w) < WORK_AT_ONCE + LAST_STEP);
	assert_true(port_reads() < READS_AT_ONCE);
	assert_true(w.out.nr > 0);
	assert_int_equal(walk_as(false), otherwise);
	assert_true(walk_work(&w) < WORK + MAX_FDES);
}

static void a_no_fault_walk_of_the_most_frames_is_not_too_long(void **state)
{
	begin();
	for (u32 i = 0; i < MANY; i++)
		image_fde(&im, FUNCTION(i), 64, INSNS(0x0e, 16));
	call(MAX_DEPTH + 8);
	image_map(&im);
	image_start(&im, &w, FUNCTION(0) + 9);
	w.no_cache = 0;
	w.at_once = 0;
	w.max_depth = MAX_DEPTH;
	walk_start(&w);
	walk_stack(&w);
	assert_int_equal(w.outcome, TOO_DEEP);
	image_start(&im, &w, FUNCTION(0) + 9);
	w.no_cache = 0;
	w.at_once = 1;
	w.max_depth = MAX_DEPTH;
	walk_start(&w);
	walk_stack(&w);
	assert_int_equal(w.outcome, TOO_DEEP);
	assert_int_equal(w.out.nr, MAX_DEPTH);
}

static void many_frames_with_long_programs(void **state)
{
	static u8 nops[400];

	begin();
	for (u32 i = 0; i < 8; i++)
		image_fde(&im, FUNCTION(i), 64, nops, sizeof(nops));
	for (u32 i = 8; i < MANY; i++)
		image_fde(&im, FUNCTION(i), 64, INSNS(0x0e, 16));
	for (u32 i = 0; i < 8; i++) /* the last one of each program says how large the frame is */
		memcpy(im.bytes + im.fde[i] + 0x2000 + 17 + sizeof(nops) - 2, INSNS(0x0e, 16));
	call(MAX_DEPTH + 8);
	image_map(&im);
	check(TOO_DEEP);
}

static void one_program_that_is_too_long(void **state)
{
	static u8 nops[4000];

	begin();
	for (u32 i = 0; i < 2; i++)
		image_fde(&im, FUNCTION(i), 64, nops, sizeof(nops));
	image_fde(&im, FUNCTION(2), 64, INSNS(0x07, REG_RA));
	put64(&im.up, FUNCTION(1) + 9);
	put64(&im.up, FUNCTION(2) + 9);
	image_map(&im);
	check(UNDEFINED_RA);
	assert_int_equal(walk_as(true), TOO_LONG);
	assert_int_equal(w.out.nr, 1);
}

static void many_frames_with_expressions(void **state)
{
	u8 insns[66] = {0x0f, 64, 0x77, 16}; /* def_cfa_expression: rsp + 16, */

	begin();
	memset(insns + 4, 0x96, sizeof(insns) - 4); /* and nothing more, but that often */
	for (u32 i = 0; i < MANY; i++)
		image_fde(&im, FUNCTION(i), 64, insns, sizeof(insns));
	call(MAX_DEPTH + 8);
	image_map(&im);
	check(TOO_DEEP);
}

/* .eh_frame without a table, and the functions that are called are the last. */
static void tables_that_have_to_be_searched_from_their_beginning(void **state)
{
	enum { OTHERS = 60000, BYTES = 24 };
	struct writer all = {.addr = IMAGE_EH_FRAME, .room = 0x3000 + (OTHERS + MANY + 4) * BYTES};
	struct vma like = {.dev = 1, .ino = IMAGE_INO, .offset = 0x2000};

	begin();
	file = calloc(1, all.room);
	all.bytes = file + 0x1000;
	im.eh_frame = all;
	im.cie = 0;
	image_cie(&im, "zR", INSNS(PE_SDATA4_PCREL), INSNS(0x0c, 7, 16, 0x90, 1));
	for (u32 i = 0; i < OTHERS + MANY; i++) {
		im.nr = 0;
		image_fde(&im, i < OTHERS ? IMAGE_CODE + 0x1000 + i : FUNCTION(i - OTHERS), i < OTHERS ? 1 : 64,
			  INSNS(0));
	}
	im.nr = 0;
	call(8);
	put64(&im.up, 0);
	put64(&im.up, 0);
	image_map(&im);
	put(&(struct writer){.bytes = file, .room = 12}, INSNS(1, PE_SDATA4_PCREL, 0xff, 0xff, 0xfc, 0x0f, 0, 0));
	port_unmap(IMAGE_HDR);
	port_map(IMAGE_HDR, file, all.room, like);
	check(FIRST_FUNCTION);
	assert_int_equal(walk_as(true), TOO_LONG);
	assert_int_equal(w.out.nr, 1);
	free(file);
}

static void frame_pointers_without_end(void **state)
{
	begin();
	memset(im.bytes + 0x1000, 0x90, 0x1000);
	im.bytes[0x1000 + 4] = 0xe8; /* a call, before +9 */
	image_map(&im);
	for (u32 i = 0; i < MAX_DEPTH + 8; i++) {
		put64(&im.up, here(&im.up) + 16);
		put64(&im.up, FUNCTION(0) + 9);
	}
	for (u32 at_once = 0; at_once < 2; at_once++) {
		image_start(&im, &w, FUNCTION(0) + 9);
		w.machine.reg[REG_FP] = w.machine.reg[REG_SP];
		w.max_depth = MAX_DEPTH;
		w.at_once = at_once;
		walk_start(&w);
		walk_stack(&w);
		assert_int_equal(w.outcome, at_once ? TOO_LONG : NO_FDE);
		if (at_once)
			assert_true(walk_work(&w) < WORK_AT_ONCE + LAST_STEP);
	}
}

/* A file without .eh_frame_hdr would have to be looked through. */
static void a_file_is_not_searched_for_its_tables(void **state)
{
	begin();
	image_fde(&im, FUNCTION(0), 64, INSNS(0x07, REG_RA));
	image_map(&im);
	im.bytes[64 + 4 * 56] = 0; /* no PT_GNU_EH_FRAME */
	assert_int_equal(walk_as(true), TOO_LONG);
	assert_int_equal(w.out.nr, 1);
	assert_true(port_reads() < 64);
	assert_int_equal(walk_as(false), UNDEFINED_RA);
	assert_int_equal(walk_as(true), UNDEFINED_RA); /* where they are is known now */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_no_fault_walk_of_the_most_frames_is_not_too_long),
		cmocka_unit_test(many_frames_with_long_programs),
		cmocka_unit_test(one_program_that_is_too_long),
		cmocka_unit_test(many_frames_with_expressions),
		cmocka_unit_test(tables_that_have_to_be_searched_from_their_beginning),
		cmocka_unit_test(frame_pointers_without_end),
		cmocka_unit_test(a_file_is_not_searched_for_its_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
