/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Does a handle lead to its consumer as long as that is there, and to no other one ever? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/shared/registry.h"

static struct registry registry;

static int fresh(void **state)
{
	memset(&registry, 0, sizeof(registry));
	return 0;
}

static u32 open_slot(u32 slot)
{
	return consumer_handle(slot, ++registry.consumer[slot].generation);
}

static void close_slot(u32 slot)
{
	registry.consumer[slot].generation++;
}

static void a_handle_names_its_slot_and_generation(void **state)
{
	static const u32 generation[] = {1, 3, 255, 256, 0xffffff};

	for (u32 slot = 0; slot < MAX_CONSUMERS; slot++)
		for (size_t i = 0; i < COUNT(generation); i++) {
			u32 handle = consumer_handle(slot, generation[i]);

			assert_true(handle);
			assert_int_equal(consumer_slot(handle), slot);
			assert_int_equal(consumer_generation(handle), generation[i]);
		}
}

static void no_handle_is_nobody(void **state)
{
	assert_false(registry_has(&registry, 0));
	open_slot(0);
	assert_false(registry_has(&registry, 0));
}

static void a_consumer_is_there_until_it_leaves(void **state)
{
	for (u32 slot = 0; slot < MAX_CONSUMERS; slot++) {
		u32 handle = open_slot(slot);

		assert_true(registry_has(&registry, handle));
		close_slot(slot);
		assert_false(registry_has(&registry, handle));
	}
}

static void a_handle_is_not_good_for_the_next_consumer_in_the_slot(void **state)
{
	u32 first = open_slot(5), second;

	close_slot(5);
	second = open_slot(5);
	assert_false(registry_has(&registry, first));
	assert_true(registry_has(&registry, second));
}

static void a_handle_is_not_good_for_another_slot(void **state)
{
	u32 handle = open_slot(5);

	open_slot(6);
	assert_true(registry_has(&registry, handle));
	close_slot(5);
	assert_false(registry_has(&registry, handle));
}

int main(void)
{
#define fresh_test(name) cmocka_unit_test_setup(name, fresh)
	const struct CMUnitTest tests[] = {
		fresh_test(a_handle_names_its_slot_and_generation),
		fresh_test(no_handle_is_nobody),
		fresh_test(a_consumer_is_there_until_it_leaves),
		fresh_test(a_handle_is_not_good_for_the_next_consumer_in_the_slot),
		fresh_test(a_handle_is_not_good_for_another_slot),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
