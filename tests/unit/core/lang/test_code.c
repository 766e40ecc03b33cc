/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Does code with the same content, and no other, have the same hash? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "abi/frame.h"
#include "core/lang/code.h"

static struct lang a, b;

static void begin(void)
{
	memset(&a, 0, sizeof(a));
	memset(&b, 0, sizeof(b));
	for (u32 i = 0; i < sizeof(a.content); i++)
		((u8 *)&a.content)[i] = ((u8 *)&b.content)[i] = i * 7;
	b.hash = 99;
}

static void code__the_same_content_is_the_same(void **state)
{
	begin();
	code_hash(&a);
	code_hash(&b);
	assert_true(a.hash);
	assert_int_equal(a.hash, b.hash);
	assert_true(code_is_same(&a.content, &b.content));
}

static void code__each_byte_tells_it_from_another(void **state)
{
	begin();
	code_hash(&a);
	for (u32 i = 0; i < sizeof(b.content); i++) {
		((u8 *)&b.content)[i] ^= 1;
		code_hash(&b);
		assert_int_not_equal(a.hash, b.hash);
		assert_false(code_is_same(&a.content, &b.content));
		((u8 *)&b.content)[i] ^= 1;
	}
}

static void code__the_order_of_its_words_matters(void **state)
{
	begin();
	memset(&a.content, 0, sizeof(a.content));
	memset(&b.content, 0, sizeof(b.content));
	a.content.table[0] = b.content.table[8] = 1;
	code_hash(&a);
	code_hash(&b);
	assert_int_not_equal(a.hash, b.hash);
}

static void code__numbers_are_distinct_and_none_is_zero(void **state)
{
	static const u64 hashes[] = {0, 1, 0xffff8, 0xffffc, 0xfffff, 0x100000, ~0ULL, ~0ULL - 3};

	for (u32 i = 0; i < COUNT(hashes); i++)
		for (u32 turn = 0; turn < CODE_PROBES; turn++) {
			for (u32 generation = 0; generation < 2 * CODE_GENERATIONS; generation++) {
				u32 number = code_number(hashes[i], turn, generation);

				assert_in_range(number, 1, FRAME_CODE);
				assert_int_equal(code_generation(number), generation % CODE_GENERATIONS);
				for (u32 before = 0; before < turn; before++)
					assert_int_not_equal(number, code_number(hashes[i], before, generation));
			}
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(code__the_same_content_is_the_same),
		cmocka_unit_test(code__each_byte_tells_it_from_another),
		cmocka_unit_test(code__the_order_of_its_words_matters),
		cmocka_unit_test(code__numbers_are_distinct_and_none_is_zero),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
