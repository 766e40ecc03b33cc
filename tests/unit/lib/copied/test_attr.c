/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How much of a stack is copied, and which events do all machines allow? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "lib/copied/attr.h"

#define RING (4 << 20)

static uint32_t of_samples(uint32_t hz, size_t ring_bytes)
{
	const struct attr_choice c = {.o.hz = hz, .ring_bytes = ring_bytes};

	return attr_stack_bytes(&c, SOURCE_SAMPLES);
}

static void samples_have_what_a_quarter_of_a_second_has_room_for(void **state)
{
	assert_int_equal(of_samples(19, RING), COPIED_STACK_BYTES_ROOM);
	assert_int_equal(of_samples(99, RING), COPIED_STACK_BYTES_ROOM);
	assert_int_equal(of_samples(499, RING), 32 << 10);
	assert_int_equal(of_samples(999, RING), COPIED_STACK_BYTES);
	assert_int_equal(of_samples(4999, RING), COPIED_STACK_BYTES);
	assert_int_equal(of_samples(99, 0), COPIED_STACK_BYTES); /* it is not certain how large the ring will be */
}

static void switches_have_the_least(void **state)
{
	const struct attr_choice c = {.o.hz = 99, .ring_bytes = RING};

	assert_int_equal(attr_stack_bytes(&c, SOURCE_STACKS), COPIED_STACK_BYTES);
}

static void what_is_asked_for_is_copied(void **state)
{
	const struct attr_choice c = {.o = {.hz = 999, .stack_bytes = 50000}, .ring_bytes = RING};

	assert_int_equal(attr_stack_bytes(&c, SOURCE_SAMPLES), 50000);
	assert_int_equal(attr_stack_bytes(&c, SOURCE_STACKS), 50000);
}

static void the_kernel_copies_what_makes_whole_pages_of_it(void **state)
{
	struct attr_choice c = {.o = {.hz = 99, .stack_bytes = 10000}};

	assert_true(attr_of(&c, SOURCE_SAMPLES).sample_stack_user >= 10000 + 4088);
	assert_int_equal(attr_of(&c, SOURCE_SAMPLES).sample_stack_user % 8, 0); /* else the kernel refuses it */
	assert_int_equal(attr_of(&c, SOURCE_PROCESSES).sample_stack_user, 0);
	c.o.stack_bytes = COPIED_STACK_BYTES_MAX;
	assert_int_equal(attr_of(&c, SOURCE_STACKS).sample_stack_user, COPIED_STACK_BYTES_MAX);
}

/* linux 6.18 drivers/perf/arm_pmuv3.c, armv8pmu_set_event_filter() */
static void a_counter_is_not_asked_to_stop_while_the_cpu_is_idle(void **state)
{
	struct attr_choice c = {.o.hz = 99, .cycles = true};

	assert_int_equal(attr_of(&c, SOURCE_SAMPLES).type, PERF_TYPE_HARDWARE);
	assert_false(attr_of(&c, SOURCE_SAMPLES).exclude_idle);
	c.cycles = false;
	assert_true(attr_of(&c, SOURCE_SAMPLES).exclude_idle); /* the clock goes on there */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_have_what_a_quarter_of_a_second_has_room_for),
		cmocka_unit_test(switches_have_the_least),
		cmocka_unit_test(what_is_asked_for_is_copied),
		cmocka_unit_test(a_counter_is_not_asked_to_stop_while_the_cpu_is_idle),
		cmocka_unit_test(the_kernel_copies_what_makes_whole_pages_of_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
