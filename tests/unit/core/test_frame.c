/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Does a frame give back what was put into it? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "abi/frame.h"
#include "core/module.h"

static void a_frame_gives_back_what_was_put_in(void **state)
{
	static const u32 modules[] = {0, 1, 0x1234, MAX_MODULE_ID};
	static const u64 offsets[] = {0, 1, 0x123456789abc & FRAME_OFFSET, FRAME_OFFSET};
	static const u64 lowest = (1 << CODE_ADDRESS_SHIFT) - 1; /* bits of an address that are always 0 */
	static const u32 methods[] = {BY_NOTHING, BY_CFI, BY_SFRAME, BY_FRAME_POINTER, BY_CODE};

	for (size_t i = 0; i < COUNT(modules); i++)
		for (size_t j = 0; j < COUNT(offsets); j++)
			for (u32 ret = 0; ret < 2; ret++) {
				u64 frame = frame_make(modules[i], offsets[j], ret);

				assert_int_equal(frame_module(frame), modules[i]);
				assert_int_equal(frame_offset(frame), offsets[j] & ~(modules[i] ? 0 : lowest));
				assert_int_equal(frame_is_return(frame), ret);
				assert_int_equal(frame_place(frame), frame);
				for (size_t k = 0; modules[i] && k < COUNT(methods); k++) {
					u64 left = frame_left(frame, methods[k]);

					assert_int_equal(frame_method(left), methods[k]);
					assert_int_equal(frame_place(left), frame);
					assert_int_equal(frame_offset(left), offsets[j]);
					assert_int_equal(frame_module(left), modules[i]);
					assert_int_equal(frame_is_return(left), ret);
				}
			}
}

static void frame__of_code_gives_back_what_was_put_in(void **state)
{
	static const u32 languages[] = {1, 2, 15}, codes[] = {0, 1, 0xabcdef, FRAME_CODE};
	static const u32 positions[] = {0, 1, 0x12345, FRAME_POSITION};

	for (size_t i = 0; i < COUNT(languages); i++)
		for (size_t j = 0; j < COUNT(codes); j++)
			for (size_t k = 0; k < COUNT(positions); k++) {
				u64 frame = frame_of_code(languages[i], codes[j], positions[k]);

				assert_true(frame_is_code(frame));
				assert_int_equal(frame_language(frame), languages[i]);
				assert_int_equal(frame_code(frame), codes[j]);
				assert_int_equal(frame_position(frame), positions[k]);
				assert_int_equal(frame_is_return(frame), 0);
				assert_int_equal(frame_method(frame), BY_NOTHING);
				assert_int_equal(frame_place(frame), frame);
				assert_int_equal(frame_is_anon(frame), 0);
			}
	assert_false(frame_is_code(frame_make(MAX_MODULE_ID, FRAME_OFFSET, 1)));
	assert_false(frame_is_code(~0ULL));
}

static void an_offset_that_is_too_large_does_not_touch_its_neighbours(void **state)
{
	u64 frame = frame_make(5, ~0ULL, 0);

	assert_int_equal(frame_module(frame), 5);
	assert_int_equal(frame_is_return(frame), 0);
	assert_int_equal(frame_method(frame), BY_NOTHING);
}

static void any_user_address_fits(void **state)
{
	u64 top = (FRAME_RET - 4096 - 1) << CODE_ADDRESS_SHIFT; /* the highest of 47 bits, or of 48 */

	assert_int_equal(frame_offset(frame_make(FRAME_ANON, top, 1)), top);
	assert_int_equal(frame_make(FRAME_ANON, FRAME_RET << CODE_ADDRESS_SHIFT, 1), FRAME_RET);
	assert_int_equal(frame_make(FRAME_ANON, (1ULL << 56) + 4096, 0), 0);
	assert_int_equal(frame_place(frame_make(FRAME_ANON, top, 1)), frame_make(FRAME_ANON, top, 1));
	assert_int_equal(frame_method(frame_make(FRAME_ANON, top, 1)), BY_FRAME_POINTER);
}

static void a_kernel_address_is_its_own_frame(void **state)
{
	u64 addr = 0xffffffff81234567;

	assert_int_equal(frame_module(addr), FRAME_KERNEL);
	assert_int_equal(frame_place(addr), addr);
	assert_true(FRAME_KERNEL > MAX_MODULE_ID);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_frame_gives_back_what_was_put_in),
		cmocka_unit_test(frame__of_code_gives_back_what_was_put_in),
		cmocka_unit_test(an_offset_that_is_too_large_does_not_touch_its_neighbours),
		cmocka_unit_test(any_user_address_fits),
		cmocka_unit_test(a_kernel_address_is_its_own_frame),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
