/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Does a walk learn the row that another one could not read, and is it itself the same as without? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "abi/frame.h"
#include "port/image.h"
#include "port/port_buffer.h"

#define FUNCTION(n) (IMAGE_CODE + 64 * (n))
#define ELSEWHERE 4 /* a function that is not in the stack of the others */

static struct image im;
static struct walk w;

/* Function 0 called by 1, called by 2, which is the outermost; and one with a stack of its own, called by 2. */
static void begin(void)
{
	port_reset();
	image_init(&im);
	image_fde(&im, FUNCTION(0), 64, INSNS(0x0e, 16));
	image_fde(&im, FUNCTION(1), 64, INSNS(0x0e, 16));
	image_fde(&im, FUNCTION(2), 64, INSNS(0x07, REG_RA));
	image_fde(&im, FUNCTION(ELSEWHERE), 64, INSNS(0x0e, 16));
	put64(&im.up, 1);
	put64(&im.up, FUNCTION(1) + 9);
	put64(&im.up, 2);
	put64(&im.up, FUNCTION(2) + 9);
	image_map(&im);
}

static u32 walk(u64 pc, u64 cold)
{
	image_start(&im, &w, pc);
	w.no_cache = 0;
	w.row_wanted = cold;
	walk_stack(&w);
	return w.outcome;
}

static void tables_are_in_memory(bool are)
{
	port_not_safe(IMAGE_HDR, are ? IMAGE_HDR : IMAGE_BASE + IMAGE_BYTES);
}

static void what_one_walk_could_not_read_the_next_one_learns(void **state)
{
	u64 cold;

	begin();
	walk(FUNCTION(2) + 1, 0); /* the file is known */
	tables_are_in_memory(false);
	assert_int_equal(walk(FUNCTION(ELSEWHERE) + 1, 0), PAGE_NOT_SAFE);
	assert_int_equal(w.out.nr, 1);
	cold = w.out.frame[0];
	assert_int_equal(cold, image_frame(&w, FUNCTION(ELSEWHERE) + 1, false));

	tables_are_in_memory(true);
	assert_int_equal(walk(FUNCTION(0) + 1, cold), UNDEFINED_RA);
	assert_int_equal(w.visited, cold);
	assert_int_equal(w.out.nr, 3);

	tables_are_in_memory(false);
	assert_int_equal(walk(FUNCTION(ELSEWHERE) + 1, 0), UNDEFINED_RA);
	assert_int_equal(w.out.nr, 3);
}

static void a_visit_changes_nothing_of_the_stack(void **state)
{
	static struct stack out;
	static const u64 pcs[] = {FUNCTION(0),	       FUNCTION(1) + 9,		 FUNCTION(2) + 9,
				  FUNCTION(ELSEWHERE), FUNCTION(ELSEWHERE) + 63, FUNCTION(ELSEWHERE + 1),
				  IMAGE_CODE + 0xfff};
	u32 max_depth, outcome;

	for (max_depth = 1; max_depth <= 4; max_depth++)
		for (size_t i = 0; i < 4 * COUNT(pcs); i++) {
			u64 cold = pcs[i / 4];

			begin();
			image_start(&im, &w, FUNCTION(0) + 1);
			w.max_depth = max_depth;
			walk_stack(&w);
			out = w.out;
			outcome = w.outcome;

			cold = frame_make(frame_module(out.frame[0]) + (i & 1), cold - IMAGE_BASE, i & 2);
			image_start(&im, &w, FUNCTION(0) + 1);
			w.max_depth = max_depth;
			w.row_wanted = cold;
			walk_stack(&w);
			assert_int_equal(w.outcome, outcome);
			assert_int_equal(w.out.nr, out.nr);
			assert_memory_equal(w.out.frame, out.frame, out.nr * sizeof(out.frame[0]));
			assert_int_equal(w.visited, i & 1 ? 0 : cold); /* of the next module nothing is here */
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_one_walk_could_not_read_the_next_one_learns),
		cmocka_unit_test(a_visit_changes_nothing_of_the_stack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
