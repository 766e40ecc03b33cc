/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which events of tracefs are those of which system calls? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <sys/syscall.h>
#include "lib/record/calls.h"

static const struct record_shape enter = {.bytes = 40, .in_syscall = 1}, end = {.bytes = 24, .in_syscall = 1};

static void calls_number__is_that_of_the_system_call(void **state)
{
	bool ends = true;

	assert_int_equal(calls_number("syscalls:sys_enter_read", &enter, &ends), SYS_read);
	assert_false(ends);
	assert_int_equal(calls_number("syscalls:sys_exit_read", &end, &ends), SYS_read);
	assert_true(ends);
	assert_int_equal(calls_number("syscalls:sys_exit_pread64", &end, &ends), SYS_pread64);
}

static void calls_number__knows_the_names_of_the_kernel(void **state)
{
	bool ends;

	assert_int_equal(calls_number("syscalls:sys_enter_newuname", &enter, &ends), SYS_uname);
	assert_int_equal(calls_number("syscalls:sys_enter_newfstat", &enter, &ends), SYS_fstat);
	assert_int_equal(calls_number("syscalls:sys_enter_sendfile64", &enter, &ends), SYS_sendfile);
	assert_int_equal(calls_number("syscalls:sys_enter_umount", &enter, &ends), SYS_umount2);
}

/* libseccomp numbers what this architecture does not have from -10000 down. */
static void calls_number__of_another_machine_is_none(void **state)
{
	bool ends;

	assert_int_equal(calls_number("syscalls:sys_enter_socketcall", &enter, &ends), -1);
	assert_int_equal(calls_number("syscalls:sys_enter_nothing", &enter, &ends), -1);
	assert_int_equal(calls_number("syscalls:sys_enter_", &enter, &ends), -1);
	assert_int_equal(calls_number("sched:sched_switch", &enter, &ends), -1);
	assert_int_equal(calls_number("raw_syscalls:sys_enter", &enter, &ends), -1);
}

static void calls_number__wants_arguments_only(void **state)
{
	struct record_shape strings = enter, longer = enter, result = end;
	bool ends;

	strings.nr_dynamic = 1;
	longer.bytes = 16 + 7 * 8;
	result.bytes = 32;
	assert_int_equal(calls_number("syscalls:sys_enter_open", &strings, &ends), -1);
	assert_int_equal(calls_number("syscalls:sys_enter_read", &longer, &ends), -1);
	assert_int_equal(calls_number("syscalls:sys_exit_read", &result, &ends), -1);
	assert_int_equal(calls_number("syscalls:sys_enter_read", &(struct record_shape){0}, &ends), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_number__is_that_of_the_system_call),
		cmocka_unit_test(calls_number__knows_the_names_of_the_kernel),
		cmocka_unit_test(calls_number__of_another_machine_is_none),
		cmocka_unit_test(calls_number__wants_arguments_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
