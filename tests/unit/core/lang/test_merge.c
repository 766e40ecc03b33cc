/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Do frames of a language come between the right native ones? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "abi/frame.h"
#include "core/lang/merge.h"

#define SP 0x7ffe00000000ULL
#define FRAME_SIZE 64ULL /* of each native frame */

static struct walk w;
static char text[64 * 1024];

/* A native stack of @nr frames. */
static void native(u32 nr, u32 outcome)
{
	memset(&w, 0, sizeof(w));
	w.max_depth = DEFAULT_DEPTH;
	w.outcome = outcome;
	w.sp = SP;
	w.out.nr = nr;
	for (u32 i = 0; i < nr && i < MAX_DEPTH; i++) {
		w.out.frame[i] = frame_make(1, i, i > 0);
		w.sp_words[i] = sp_word(&w, SP + i * FRAME_SIZE);
	}
}

/* @nr frames of the language, the innermost one first, and the native frame on whose stack their run of the loop lies. */
static void run(u32 nr, u64 in)
{
	struct lang *l = &w.lang;
	static u32 last;

	last = l->nr ? last : 0;
	for (u32 i = 0; i < nr; i++)
		l->frame[l->nr++] = frame_of_code(LANGUAGE_PYTHON, ++last, 0);
	l->nr_frames += nr;
	if (in != ~0ULL)
		l->frame[l->nr++] = SP + in * FRAME_SIZE + 8;
}

#define NO_NATIVE ~0ULL /* these frames are behind the last run */

/* Merge. The stack as words: numbers are native frames, @number are frames of the language, ... is the gap. */
static const char *merged(void)
{
	char *to = text;

	assert_int_equal(lang_merge(&w), 0);
	walk_finish(&w);
	assert_true(w.out.nr <= w.max_depth);
	for (u32 i = 0; i < w.out.nr; i++) {
		u64 frame = w.out.frame[i];

		if (frame == FRAME_GAP)
			to += sprintf(to, "... ");
		else if (frame_is_code(frame))
			to += sprintf(to, "@%u ", frame_code(frame));
		else
			to += sprintf(to, "%u ", (u32)frame_offset(frame));
	}
	to[-1] = 0;
	return text;
}

static void merge__a_run_is_inside_the_frame_that_holds_its_mark(void **state)
{
	static const char *const expected[] = {"@1 @2 0 1 2 3", "0 @1 @2 1 2 3", "0 1 @1 @2 2 3", "0 1 2 @1 @2 3"};

	for (u32 in = 0; in < 4; in++) {
		native(4, UNDEFINED_RA);
		run(2, in);
		assert_string_equal(merged(), expected[in]);
	}
}

static void merge__a_mark_at_either_end_of_a_frame_is_in_it(void **state)
{
	native(4, UNDEFINED_RA);
	run(1, 2);
	w.lang.frame[1] = SP + 2 * FRAME_SIZE;
	assert_string_equal(merged(), "0 1 @1 2 3");
	native(4, UNDEFINED_RA);
	run(1, 2);
	w.lang.frame[1] = SP + 3 * FRAME_SIZE - 8;
	assert_string_equal(merged(), "0 1 @1 2 3");
}

static void merge__each_run_has_its_own_place(void **state)
{
	native(6, UNDEFINED_RA);
	run(1, 0);
	run(2, 2);
	run(1, 5);
	assert_string_equal(merged(), "@1 0 1 @2 @3 2 3 4 @4 5");
	native(3, UNDEFINED_RA);
	run(1, 0);
	run(1, 1);
	run(1, 2);
	assert_string_equal(merged(), "@1 0 @2 1 @3 2");
}

static void merge__nothing_of_a_language_changes_nothing(void **state)
{
	native(3, UNDEFINED_RA);
	assert_string_equal(merged(), "0 1 2");
}

static void merge__without_native_frames_the_others_remain(void **state)
{
	native(0, STACK_UNREADABLE);
	run(2, 3);
	assert_string_equal(merged(), "@1 @2");
}

/* The mark lies further out than all of a whole stack: on another one. */
static void merge__a_run_on_no_native_frame_keeps_all_frames(void **state)
{
	native(3, UNDEFINED_RA);
	run(2, 1ULL << 20);
	assert_string_equal(merged(), "0 1 @1 @2 2");
	native(3, UNDEFINED_RA);
	run(1, 1);
	run(1, 1ULL << 20);
	assert_string_equal(merged(), "0 @1 1 @2 2");
}

/* ... and further in than all of it. Marks are 2^35 bytes apart at most, so that is far out. */
static void merge__a_mark_below_the_stack_keeps_all_frames(void **state)
{
	native(3, UNDEFINED_RA);
	run(2, 0);
	w.lang.frame[2] = SP - 4096;
	assert_string_equal(merged(), "0 1 @1 @2 2");
}

static void merge__marks_in_no_order_keep_all_frames(void **state)
{
	native(4, UNDEFINED_RA);
	run(1, 3);
	run(1, 0);
	run(1, 2);
	merged();
	assert_int_equal(w.out.nr, 7);
}

/* The frame of the loop is among those that are missing. */
static void merge__runs_behind_a_cut_come_behind_its_last_frame(void **state)
{
	native(3, STACK_UNREADABLE);
	run(1, 1);
	run(2, 7);
	run(1, 9);
	assert_string_equal(merged(), "0 @1 1 2 @2 @3 @4");
	assert_int_equal(w.outcome, STACK_UNREADABLE);
}

/* The run may be the last frame's own: its stack ends nowhere. */
static void merge__a_run_in_the_last_frame_of_a_cut_is_behind_it(void **state)
{
	native(3, STACK_UNREADABLE);
	run(1, 2);
	assert_string_equal(merged(), "0 1 2 @1");
}

static void merge__frames_behind_the_last_run_are_outermost(void **state)
{
	native(3, UNDEFINED_RA);
	run(1, 1);
	run(2, NO_NATIVE);
	assert_string_equal(merged(), "0 @1 1 2 @2 @3");
}

static void merge__a_stack_as_deep_as_may_be_is_whole(void **state)
{
	native(10, UNDEFINED_RA);
	w.max_depth = 16;
	run(6, 8);
	assert_string_equal(merged(), "0 1 2 3 4 5 6 7 @1 @2 @3 @4 @5 @6 8 9");
	assert_int_equal(w.outcome, UNDEFINED_RA);
}

/* 16 frames of 17: 12 innermost ones; 4 outermost ones, of which the gap takes the place of the first. */
static void merge__one_too_many_makes_a_gap(void **state)
{
	native(10, UNDEFINED_RA);
	w.max_depth = 16;
	run(7, 8);
	assert_string_equal(merged(), "0 1 2 3 4 5 6 7 @1 @2 @3 @4 ... @7 8 9");
	assert_int_equal(w.outcome, TOO_DEEP);
}

static void merge__far_too_many_keep_both_ends(void **state)
{
	native(3, UNDEFINED_RA);
	w.max_depth = 16;
	run(1000, 1);
	assert_string_equal(merged(), "0 @1 @2 @3 @4 @5 @6 @7 @8 @9 @10 @11 ... @1000 1 2");
	assert_int_equal(w.outcome, TOO_DEEP);
	native(12, UNDEFINED_RA);
	w.max_depth = 16;
	run(1000, 11);
	assert_string_equal(merged(), "0 1 2 3 4 5 6 7 8 9 10 @1 ... @999 @1000 11");
}

static void merge__a_cut_that_is_too_deep_stays_a_cut(void **state)
{
	native(3, STACK_UNREADABLE);
	w.max_depth = 8;
	run(20, 1);
	assert_string_equal(merged(), "0 @1 @2 @3 @4 @5 ... 2");
	assert_int_equal(w.outcome, STACK_UNREADABLE);
}

static void merge__a_few_frames_have_room_for_no_gap(void **state)
{
	static const char *const expected[] = {"0", "0 @1", "0 @1 @2"};

	for (u32 depth = 1; depth < 4; depth++) {
		native(1, TOO_DEEP);
		w.max_depth = depth;
		run(9, NO_NATIVE);
		assert_string_equal(merged(), expected[depth - 1]);
	}
}

static void merge__all_that_there_is_room_for(void **state)
{
	native(MAX_DEPTH, UNDEFINED_RA);
	w.max_depth = MAX_DEPTH;
	run(MAX_DEPTH - 2, MAX_DEPTH / 2);
	merged();
	assert_int_equal(w.out.nr, MAX_DEPTH);
	assert_int_equal(w.out.frame[MAX_DEPTH - 1], frame_make(1, MAX_DEPTH - 1, 1));
	assert_int_equal(w.out.frame[MAX_DEPTH - MAX_DEPTH / 4], FRAME_GAP);
}

/* A native stack of 100 frames, of which 16 are kept: the ring has the outermost ones, wherever it begins. */
static void deep(u32 nr)
{
	native(12, UNDEFINED_RA);
	w.max_depth = 16;
	for (u32 i = 12, at = 12; i < nr; i++, at = at == 15 ? 12 : at + 1) {
		w.laps += at == 12 && i > 12;
		w.out.frame[at] = frame_make(1, i, 1);
		w.sp_words[at] = sp_word(&w, SP + i * FRAME_SIZE);
		w.out.nr = at + 1;
	}
}

static void merge__of_a_deep_stack_runs_of_inner_frames_come_in(void **state)
{
	deep(100);
	run(2, 3);
	assert_string_equal(merged(), "0 1 2 @1 @2 3 4 5 6 7 8 9 ... 97 98 99");
	assert_int_equal(w.outcome, TOO_DEEP);
	deep(98);
	run(1, 0);
	run(2, 9);
	assert_string_equal(merged(), "@1 0 1 2 3 4 5 6 7 8 @2 @3 ... 95 96 97");
}

/* Where their native frames are missing, they are missing, too: they would seem to be called by others. */
static void merge__of_a_deep_stack_runs_of_others_are_left_out(void **state)
{
	for (u32 nr = 97; nr < 101; nr++) { /* wherever the ring ends */
		deep(nr);
		run(3, 40);
		merged();
		assert_memory_equal(text, "0 1 2 3 4 5 6 7 8 9 10 11 ... ", 29);
		deep(nr);
		run(1, 3);
		run(3, 40);
		run(2, nr - 1);
		run(1, NO_NATIVE);
		merged();
		assert_memory_equal(text, "0 1 2 @1 3 4 5 6 7 8 9 10 ... ", 29);
	}
}

/* Up to 3.10 each frame has a run of its own, in the next native frame of this function. */
static void by_loop(u32 native, u32 bytes)
{
	w.lang.runtime.module = 1;
	w.lang.runtime.loop = native;
	w.lang.runtime.loop_bytes = bytes;
	w.lang.runs = w.lang.nr_frames;
	for (u32 i = 1; i <= w.lang.nr_frames; i++) {
		w.lang.frame[w.lang.nr++] = frame_of_code(LANGUAGE_PYTHON, i, 0);
		w.lang.frame[w.lang.nr++] = LANG_NEXT_LOOP;
	}
}

static void merge__runs_may_be_known_by_the_loops_symbol(void **state)
{
	native(6, UNDEFINED_RA);
	w.out.frame[4] = w.out.frame[2];
	w.lang.nr_frames = 2;
	by_loop(1, 1); /* native frame 2 returns behind its only byte */
	assert_string_equal(merged(), "0 1 @1 2 3 @2 2 5");
	native(6, UNDEFINED_RA); /* the innermost one has not linked its frame yet */
	w.out.frame[1] = w.out.frame[4] = w.out.frame[2];
	w.lang.nr_frames = 2;
	by_loop(1, 1);
	assert_string_equal(merged(), "0 2 @1 2 3 @2 2 5");
}

/* Which of them are missing is not known, so none can be put. */
static void merge__too_few_frames_of_the_loop_change_nothing(void **state)
{
	for (u32 kind = 0; kind < 3; kind++) {
		native(6, kind ? STACK_UNREADABLE : UNDEFINED_RA);
		w.out.frame[4] = w.out.frame[2];
		w.lang.nr_frames = kind ? 2 : 3;
		by_loop(1, 1);
		if (kind == 2) {
			w.outcome = UNDEFINED_RA;
			w.laps = 1;
		}
		assert_int_equal(lang_merge(&w), -ENOENT);
		assert_int_equal(w.out.nr, 6);
		assert_int_equal(w.out.frame[5], frame_make(1, 5, 1));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(merge__a_run_is_inside_the_frame_that_holds_its_mark),
		cmocka_unit_test(merge__a_mark_at_either_end_of_a_frame_is_in_it),
		cmocka_unit_test(merge__each_run_has_its_own_place),
		cmocka_unit_test(merge__nothing_of_a_language_changes_nothing),
		cmocka_unit_test(merge__without_native_frames_the_others_remain),
		cmocka_unit_test(merge__a_run_on_no_native_frame_keeps_all_frames),
		cmocka_unit_test(merge__a_mark_below_the_stack_keeps_all_frames),
		cmocka_unit_test(merge__marks_in_no_order_keep_all_frames),
		cmocka_unit_test(merge__runs_behind_a_cut_come_behind_its_last_frame),
		cmocka_unit_test(merge__a_run_in_the_last_frame_of_a_cut_is_behind_it),
		cmocka_unit_test(merge__frames_behind_the_last_run_are_outermost),
		cmocka_unit_test(merge__a_stack_as_deep_as_may_be_is_whole),
		cmocka_unit_test(merge__one_too_many_makes_a_gap),
		cmocka_unit_test(merge__far_too_many_keep_both_ends),
		cmocka_unit_test(merge__a_cut_that_is_too_deep_stays_a_cut),
		cmocka_unit_test(merge__a_few_frames_have_room_for_no_gap),
		cmocka_unit_test(merge__all_that_there_is_room_for),
		cmocka_unit_test(merge__of_a_deep_stack_runs_of_inner_frames_come_in),
		cmocka_unit_test(merge__of_a_deep_stack_runs_of_others_are_left_out),
		cmocka_unit_test(merge__runs_may_be_known_by_the_loops_symbol),
		cmocka_unit_test(merge__too_few_frames_of_the_loop_change_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
